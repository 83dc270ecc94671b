"""The system-accounts application: requesting an account, its secret or keys, rotating them (specification 5.2.7)."""
