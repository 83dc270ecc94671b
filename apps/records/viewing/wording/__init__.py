"""Entries in words: keys that presenters return become sentences here, in the reader's language."""
