"""The provider's own pages on the way: sign in, and what to allow."""
