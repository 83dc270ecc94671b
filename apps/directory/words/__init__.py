"""The words by which providers are found: normalized, each once, from names, places and addresses."""
