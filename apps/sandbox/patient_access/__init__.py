"""Interface A's authorization server: authorize, token and revoke, written by hand from the specification."""
