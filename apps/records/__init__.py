"""Syncing, storing, presenting: the patient's record as received. docs/code.md leads through it."""
