"""Pages of the directory: find a provider, choose a version."""
