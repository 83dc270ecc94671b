"""The append-only audit log: who did what to which thing, and when."""
