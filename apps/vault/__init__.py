"""Encryption with a data key per holder; keys outside the database wrap the data keys. Seal, open, rotate, shred."""
