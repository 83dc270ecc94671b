"""What a callback leads to: a new connection that awaits the patient's confirmation, or new tokens for an existing
one."""
