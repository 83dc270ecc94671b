"""Entries in words: what a presenter tells by a key becomes a sentence here, in the reader's language."""
