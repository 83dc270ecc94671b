"""Pages of connections: leaving for a provider, the callback, the list, one connection."""
