"""The user, consent to a versioned notice, notification choices."""
