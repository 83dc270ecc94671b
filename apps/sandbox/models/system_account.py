"""System accounts: the credentials of confidential applications and of system access (specification 1.7 and 5.2)."""

import uuid
from collections.abc import Mapping
from typing import ClassVar

from django.db import models

from apps.sandbox.models.decided import Decided


class SystemAccountStatus(models.TextChoices):
    """The status of a system account. Its id and credentials work only in `approved`."""

    REQUESTED = "requested", "Requested: waits for an administrator"
    APPROVED = "approved", "Approved: its id and credentials work"
    REJECTED = "rejected", "Rejected: it was not created"
    RETIRED = "retired", "Retired: its credentials never work again"


class SystemAccountKind(models.TextChoices):
    """How it authenticates."""

    SECRET = "secret", "A secret"
    KEY = "key", "Keys, of which it registers the public halves"


class SystemAccount(Decided):
    """One system account, with the fields of the form in specification 5.2.7.

    `client_id` is its id: the client id for system access, and the GUID of an application. The secret is stored as a
    digest and shown once. Public keys are in `jwks`, or published at `jwks_url`.
    """

    MOVES: ClassVar[Mapping[str, frozenset[str]]] = {
        SystemAccountStatus.REQUESTED: frozenset(
            {SystemAccountStatus.APPROVED, SystemAccountStatus.REJECTED, SystemAccountStatus.RETIRED}
        ),
        SystemAccountStatus.APPROVED: frozenset({SystemAccountStatus.RETIRED}),
        SystemAccountStatus.REJECTED: frozenset(),
        SystemAccountStatus.RETIRED: frozenset(),
    }

    description = models.CharField(max_length=400)
    is_production_system = models.BooleanField(default=False)
    is_vendor_client = models.BooleanField(default=False, help_text="A client of the vendor of this server itself.")
    client_name = models.CharField(max_length=120)
    client_number = models.CharField(max_length=40, blank=True)
    client_mnemonic = models.CharField(max_length=40, blank=True)
    is_millennium_system = models.BooleanField(default=False)
    kind = models.CharField(max_length=6, choices=SystemAccountKind.choices, default=SystemAccountKind.SECRET)
    client_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    secret_sha256 = models.CharField(max_length=64, blank=True, editable=False)
    secret_made_at = models.DateTimeField(null=True, blank=True, editable=False)
    jwks = models.JSONField(null=True, blank=True, help_text="Its public keys, as a JSON Web Key Set.")
    jwks_url = models.TextField(blank=True, help_text="Where it publishes its keys. Asked only on this machine.")
    status = models.CharField(
        max_length=12, choices=SystemAccountStatus.choices, default=SystemAccountStatus.REQUESTED, editable=False
    )

    def __str__(self) -> str:
        return f"{self.client_name} ({self.status})"

    @classmethod
    def known(cls, client_id: str) -> "SystemAccount | None":
        """The account with this id, as it was written when it was given."""
        try:
            wanted = uuid.UUID(client_id)
        except ValueError:
            return None
        return cls.objects.filter(client_id=wanted).first() if str(wanted) == client_id else None

    @property
    def is_approved(self) -> bool:
        """Whether its id and credentials work."""
        return self.status == SystemAccountStatus.APPROVED

    @property
    def key_ids(self) -> tuple[str, ...]:
        """The ids of the keys in `jwks`; those of published keys are unknown here."""
        return tuple(str(key.get("kid", "")) for key in (self.jwks or {}).get("keys", ()))

    @property
    def has_credentials(self) -> bool:
        """Whether it has anything to authenticate with."""
        return bool(self.secret_sha256 or self.jwks or self.jwks_url)


class SystemAssertion(models.Model):
    """A client assertion that a system account used: its `jti` works only once (RFC 7523 section 3)."""

    account = models.ForeignKey(SystemAccount, on_delete=models.CASCADE, related_name="assertions")
    jti_sha256 = models.CharField(max_length=64)
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "jti_sha256"], name="sandbox_one_system_assertion")]

    def __str__(self) -> str:
        return f"assertion of system account {self.account_id}"
