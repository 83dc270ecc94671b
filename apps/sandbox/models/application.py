"""Applications: who may ask patients for access, and each one's status (specification sections 1.2 and 3)."""

from collections.abc import Mapping
from typing import ClassVar

from django.db import models

from apps.sandbox.models.decided import Decided


class ApplicationStatus(models.TextChoices):
    """The status of an application. Credentials exist from `provisional` on, and work only in `approved`."""

    REQUESTED = "requested", "Requested: no credentials yet"
    PROVISIONAL = "provisional", "Provisional: credentials exist and do not work yet"
    APPROVED = "approved", "Approved: credentials work"
    REJECTED = "rejected", "Rejected: credentials will never work"
    RETIRED = "retired", "Retired: credentials never work again"


class Application(Decided):
    """One application of one developer. The secret is stored as a digest, and shown once, when it is issued."""

    MOVES: ClassVar[Mapping[str, frozenset[str]]] = {
        ApplicationStatus.REQUESTED: frozenset(
            {ApplicationStatus.PROVISIONAL, ApplicationStatus.REJECTED, ApplicationStatus.RETIRED}
        ),
        ApplicationStatus.PROVISIONAL: frozenset(
            {ApplicationStatus.APPROVED, ApplicationStatus.REJECTED, ApplicationStatus.RETIRED}
        ),
        ApplicationStatus.APPROVED: frozenset({ApplicationStatus.RETIRED}),
        ApplicationStatus.REJECTED: frozenset(),
        ApplicationStatus.RETIRED: frozenset(),
    }

    name = models.CharField(max_length=120)
    redirect_uris = models.JSONField(default=list, help_text="Compared exactly, character by character.")
    versions = models.JSONField(default=list, blank=True, help_text='FHIR versions added: "dstu2", "r4" or both.')
    client_id = models.CharField(max_length=80, unique=True, null=True, blank=True)
    secret_sha256 = models.CharField(max_length=64, blank=True, editable=False)
    status = models.CharField(
        max_length=12, choices=ApplicationStatus.choices, default=ApplicationStatus.REQUESTED, editable=False
    )

    def __str__(self) -> str:
        return f"{self.name} ({self.status})"

    @classmethod
    def known(cls, client_id: str) -> "Application | None":
        """The application with this id. Postgres cannot store NUL, so no id has one."""
        return None if "\0" in client_id else cls.objects.filter(client_id=client_id).first()

    @property
    def is_approved(self) -> bool:
        """Whether its credentials work."""
        return self.status == ApplicationStatus.APPROVED
