"""What we ask of a provider and what it grants: scopes, resource types, and the launch context."""
