"""Applications of interface B: what each may request, and how it authenticates (specification 1.7, 5.2.7)."""

from django.db import models

from apps.sandbox.models.application import ApplicationStatus
from apps.sandbox.models.developer import Developer
from apps.sandbox.models.system_account import SystemAccount


class ClientType(models.TextChoices):
    """Whether the application can keep a secret."""

    PUBLIC = "public", "Public: keeps no secret"
    CONFIDENTIAL = "confidential", "Confidential: authenticates at the token endpoint"


class ClientAuthentication(models.TextChoices):
    """How it authenticates at the token endpoint; values of RFC 7591 section 2."""

    NONE = "none", "Not at all"
    BASIC = "client_secret_basic", "Secret in the Authorization header"
    POST = "client_secret_post", "Secret in the form"
    PRIVATE_KEY_JWT = "private_key_jwt", "Signed assertion in the form"


class SmartVersion(models.TextChoices):
    """Which scope grammar it uses. Fixed at registration (interface facts 3.8)."""

    V1 = "v1", "SMART v1: patient/Observation.read"
    V2 = "v2", "SMART v2: patient/Observation.rs"


class Persona(models.TextChoices):
    """Who signs in to use it."""

    PATIENT = "patient", "Patients"
    PROVIDER = "provider", "Clinicians"


class SmartApplication(models.Model):
    """One application. `enabled_tenants` has the ids of the organizations that have enabled it, `scopes` every scope
    that it may request (empty: whatever this server grants).

    It has no credentials of its own: a confidential application has those of its system account, whose id is in `guid`
    (specification 5.2.7). Several applications of one developer may name the same account.
    """

    developer = models.ForeignKey(Developer, on_delete=models.PROTECT, null=True, blank=True, editable=False)
    name = models.CharField(max_length=120)
    client_id = models.CharField(max_length=80, unique=True)
    client_type = models.CharField(max_length=12, choices=ClientType.choices, default=ClientType.PUBLIC)
    authentication = models.CharField(
        max_length=20, choices=ClientAuthentication.choices, default=ClientAuthentication.NONE
    )
    guid = models.UUIDField(null=True, blank=True, help_text="The id of its system account.")
    redirect_uris = models.JSONField(default=list, help_text="Compared exactly, character by character.")
    launch_url = models.TextField(blank=True, help_text="Where a launch from the provider's portal begins.")
    persona = models.CharField(max_length=8, choices=Persona.choices, default=Persona.PATIENT)
    versions = models.JSONField(default=list, help_text='FHIR versions: "dstu2", "r4" or both.')
    smart_version = models.CharField(max_length=2, choices=SmartVersion.choices, default=SmartVersion.V1)
    scopes = models.JSONField(default=list, blank=True)
    support_contact = models.EmailField(blank=True)
    enabled_tenants = models.JSONField(default=list, blank=True)
    status = models.CharField(
        max_length=12, choices=ApplicationStatus.choices, default=ApplicationStatus.APPROVED, editable=False
    )
    requested_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} ({self.status})"

    @classmethod
    def known(cls, client_id: str) -> "SmartApplication | None":
        """The application with this id. Postgres cannot store NUL, so no id has one."""
        return None if "\0" in client_id else cls.objects.filter(client_id=client_id).first()

    @property
    def is_approved(self) -> bool:
        """Whether it works at all."""
        return self.status == ApplicationStatus.APPROVED

    @property
    def system_account(self) -> SystemAccount | None:
        """The account whose id is in `guid`, in whatever status. Another developer's account does not count."""
        if self.guid is None:
            return None
        return SystemAccount.objects.filter(client_id=self.guid, developer=self.developer_id).first()

    @property
    def is_recognized(self) -> bool:
        """Whether it is authorized for FHIR: it is public, or has an approved system account."""
        if self.client_type == ClientType.PUBLIC:
            return True
        account = self.system_account
        return account is not None and account.is_approved

    def is_enabled_at(self, tenant_id: str) -> bool:
        """Whether the organization has enabled it (specification 1.6)."""
        return tenant_id in self.enabled_tenants
