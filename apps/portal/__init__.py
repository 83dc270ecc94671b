"""Pages that need several apps: Home, confirming a person, disconnecting, closing an account, activity, the desk,
errors.
"""
