"""Pages of connections: leaving for a provider, every way back, the list, one connection."""
