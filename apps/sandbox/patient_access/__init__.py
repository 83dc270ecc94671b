"""Interface A's authorization server: authorize, token and revoke, implemented from the specification without a
library.
"""
