"""Asking a person for access to interface B: the request, sign-in, what to allow, and the way back."""
