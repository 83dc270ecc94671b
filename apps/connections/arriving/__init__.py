"""Back from a provider: a new link that waits for its patient's yes, or new tokens for the one there is."""
