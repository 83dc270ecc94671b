"""EHR launch (interface facts 3.9): an application started from the provider's own portal, with what was open there."""
