"""Applications: who may ask patients for access, and where each stands (specification sections 1.2 and 3)."""

from django.db import models


class ApplicationStatus(models.TextChoices):
    """Where an application stands. Credentials exist from `provisional` on and work in `approved` alone."""

    REQUESTED = "requested", "Requested: no credentials yet"
    PROVISIONAL = "provisional", "Provisional: credentials exist and do not work yet"
    APPROVED = "approved", "Approved: credentials work"
    RETIRED = "retired", "Retired: credentials never work again"


MOVES: dict[str, frozenset[str]] = {
    ApplicationStatus.REQUESTED: frozenset({ApplicationStatus.PROVISIONAL, ApplicationStatus.RETIRED}),
    ApplicationStatus.PROVISIONAL: frozenset({ApplicationStatus.APPROVED, ApplicationStatus.RETIRED}),
    ApplicationStatus.APPROVED: frozenset({ApplicationStatus.RETIRED}),
    ApplicationStatus.RETIRED: frozenset(),
}


class MoveRefused(Exception):
    """An application cannot go from where it stands to where it was sent."""


class Application(models.Model):
    """One application of one developer. The secret is kept as a digest and shown once, when it is issued."""

    name = models.CharField(max_length=120)
    redirect_uris = models.JSONField(default=list, help_text="Compared exactly, character by character.")
    versions = models.JSONField(default=list, blank=True, help_text='FHIR versions added: "dstu2", "r4" or both.')
    client_id = models.CharField(max_length=80, unique=True, null=True, blank=True)
    secret_sha256 = models.CharField(max_length=64, blank=True, editable=False)
    status = models.CharField(
        max_length=12, choices=ApplicationStatus.choices, default=ApplicationStatus.REQUESTED, editable=False
    )
    requested_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} ({self.status})"

    @classmethod
    def known(cls, client_id: str) -> "Application | None":
        """The application with this id. Postgres has no text with NUL in it, so neither has an id."""
        return None if "\0" in client_id else cls.objects.filter(client_id=client_id).first()

    def move(self, status: ApplicationStatus) -> None:
        """Change where the application stands and save it. Raises MoveRefused for a move the table does not have."""
        if status not in MOVES[self.status]:
            raise MoveRefused(f"from {self.status} to {status}")
        self.status = status
        self.save(update_fields=["status"])

    @property
    def is_approved(self) -> bool:
        """Whether its credentials work."""
        return self.status == ApplicationStatus.APPROVED
