"""Syncing, storing, presenting: the patient's record as received. docs/code.md is a guide to it."""
