"""Syncing, storing, presenting: the patient's record as received."""
