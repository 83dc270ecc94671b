"""The return from a provider: a new connection that awaits the patient's confirmation, or new tokens for an existing
one."""
