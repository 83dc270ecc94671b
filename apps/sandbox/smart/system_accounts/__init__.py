"""The system-accounts application: asking for an account, its secret or keys, rotating them (specification 5.2.7)."""
