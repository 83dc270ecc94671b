"""What a process says that cannot start as its settings are: one sentence for whoever runs it, and not where in our
code that was found."""

from django.core.exceptions import ImproperlyConfigured


def sentence(error: ImproperlyConfigured) -> str:
    """It names the variable, never its value (`config/env.py`)."""
    return f"The settings are not complete, or not right: {str(error).rstrip('.')}. See .env.example."
