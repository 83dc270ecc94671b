"""Append-only events: who did what to which thing, when."""
