"""The way to a provider: what begins an authorization request, and the address its browser leaves for."""
