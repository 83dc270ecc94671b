"""A medicine as prescribed, reported or filled: what it is made of, and how much was or may be dispensed."""
