"""The authorization endpoint of interface B: the request, sign-in, consent, and the redirect back."""
