"""The token endpoint of interface B: a code or a refresh token for an access token (specification S3 and S4)."""
