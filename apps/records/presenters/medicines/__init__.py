"""A medicine as prescribed, reported or filled: what it is made of, and what of it was or may be handed over."""
