"""What a process says if it cannot start because of its settings: one sentence for the operator, without
a traceback.
"""

from django.core.exceptions import ImproperlyConfigured


def sentence(error: ImproperlyConfigured) -> str:
    """It names the variable, never its value (`config/env.py`)."""
    return f"The settings are not complete, or not right: {str(error).rstrip('.')}. See .env.example."
