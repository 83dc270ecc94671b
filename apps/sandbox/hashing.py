"""A password hash that costs next to nothing: the people are invented and their passwords are printed on a page."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickHasher(PBKDF2PasswordHasher):
    """Django's default with so few iterations that enrolling a thousand people takes a moment."""

    iterations = 1_000
