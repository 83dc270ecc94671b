"""Developers: an e-mail address and nothing else (specification 1.7: free, needs only an e-mail address)."""

from django.db import models


class Developer(models.Model):
    """Somebody who registers applications, at the portal or the console. `email` is in lower case."""

    email = models.EmailField(unique=True)
    signed_up_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.email
