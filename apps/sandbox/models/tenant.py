"""Tenants: the organizations behind interface B. Each has its own FHIR roots, its own data and its own people.

An id is opaque: 36 characters of a UUID, or 32 characters that may begin with a hyphen (interface facts 3.1). The same
resource id in two tenants is somebody else.
"""

from django.db import models


class Tenant(models.Model):
    """One organization. `practice` is the id of its practice in the directory."""

    id = models.CharField(max_length=64, primary_key=True)
    name = models.CharField(max_length=120)
    practice = models.CharField(max_length=80, blank=True)
    is_suspended = models.BooleanField(default=False, help_text="Its roots answer 403, and no token of it works.")

    def __str__(self) -> str:
        return f"{self.name} ({self.id})"

    @classmethod
    def known(cls, tenant_id: str) -> "Tenant | None":
        """The tenant with this id, unless it is suspended. Postgres cannot store NUL, so no id has one."""
        return None if "\0" in tenant_id else cls.objects.filter(pk=tenant_id, is_suspended=False).first()
