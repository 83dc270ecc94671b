"""The token endpoint of interface B: an access token for a code or a refresh token (specification S3 and S4), or for a
system (S5 and S6).
"""
