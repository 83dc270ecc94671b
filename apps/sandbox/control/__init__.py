"""Levers of the sandbox, for programs and people on this machine only."""
