"""The words that providers are found by: plain, each once, from names, places and addresses."""
