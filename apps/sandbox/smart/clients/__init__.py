"""Clients of interface B's authorization server: what they post, and how they authenticate."""
