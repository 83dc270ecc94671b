"""The way to a provider: what begins an authorization request, and the URL that the browser leaves for."""
