"""A client registration: our standing at one authorization server."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.directory.models.authorization_server import AuthorizationServer
from apps.directory.models.signing_key import SigningKey
from apps.wire.client_authentication import Authentication


class ClientRegistration(models.Model):
    """Linking is off unless the registration is approved, the version was added, and it is switched on
    (specification 1.2, 3). The secret is write-only: sealed for the installation, opened by `directory.credentials`.

    Made at one authorization server, it may serve others of the same origin, one tenant each: see Enablement."""

    class Status(models.TextChoices):
        """Where the request at the developer portal stands."""

        REQUESTED = "requested", _("requested")
        PROVISIONAL = "provisional", _("provisional: credentials exist, not yet active")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")
        RETIRED = "retired", _("retired")

    class SmartVersion(models.TextChoices):
        """How scopes are written; fixed when the application was registered (interface facts 3.8)."""

        V1 = "v1", _("SMART v1: patient/Observation.read")
        V2 = "v2", _("SMART v2: patient/Observation.rs")

    class RefreshScope(models.TextChoices):
        """Which scope asks for a refresh token (interface facts 3.9)."""

        ONLINE = "online_access", _("online_access: while the session at the provider lasts")
        OFFLINE = "offline_access", _("offline_access: until somebody ends it")

    MOVES = {
        Status.REQUESTED: {Status.PROVISIONAL, Status.APPROVED, Status.REJECTED, Status.RETIRED},
        Status.PROVISIONAL: {Status.APPROVED, Status.REJECTED, Status.RETIRED},
        Status.APPROVED: {Status.RETIRED},
        Status.REJECTED: set[Status](),  # ask again with a new registration: its redirect URI is another
        Status.RETIRED: set[Status](),
    }

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    authorization_server = models.ForeignKey(
        AuthorizationServer, on_delete=models.PROTECT, related_name="registrations"
    )
    label = models.CharField(_("label"), max_length=120)
    status = models.CharField(_("status"), max_length=12, choices=Status, default=Status.REQUESTED)
    is_switched_on = models.BooleanField(
        _("switched on"), default=True, help_text=_("Off stops linking, refreshing and syncing at once.")
    )
    # The address a provider returns the browser to: distinct per registration, so that an answer names its sender.
    redirect_id = models.UUIDField(_("redirect id"), default=uuid.uuid4, unique=True, editable=False)
    # Where a provider's own portal starts us (EHR launch): it names the registration, and authenticates nobody.
    launch_id = models.UUIDField(
        _("launch id"), default=uuid.uuid4, db_default=RandomUUID(), unique=True, editable=False
    )
    client_id = models.CharField(_("client id"), max_length=500, blank=True)
    sealed_secret = models.BinaryField(null=True, editable=False)
    secret_set_at = models.DateTimeField(_("secret set"), null=True, blank=True, editable=False)
    authentication = models.CharField(
        _("how the client proves itself"), max_length=20, choices=[(a.value, a.value) for a in Authentication]
    )
    signing_key = models.ForeignKey(
        SigningKey,
        on_delete=models.PROTECT,
        related_name="registrations",
        verbose_name=_("signing key"),
        null=True,
        blank=True,
    )
    versions_added = ArrayField(models.CharField(max_length=8), verbose_name=_("versions added"), default=list)
    smart_version = models.CharField(_("SMART version"), max_length=2, choices=SmartVersion, default=SmartVersion.V2)
    scope = models.CharField(_("scope to ask for"), max_length=4000, blank=True)
    refresh_scope = models.CharField(_("scope for refreshing"), max_length=20, choices=RefreshScope, blank=True)
    asks_identity = models.BooleanField(_("asks who signed in"), default=False)
    prompts_for_consent = models.BooleanField(_("asks for the consent page each time"), default=False)
    uses_pkce = models.BooleanField(_("sends PKCE"), default=True)
    sends_state = models.BooleanField(_("sends state in the exchange"), null=True, blank=True)
    refresh_window_hours = models.PositiveIntegerField(_("refresh window in hours"), null=True, blank=True, default=48)
    minimum_refresh_seconds = models.PositiveIntegerField(_("least seconds between refreshes"), default=60)
    requested_at = models.DateTimeField(_("requested"), null=True, blank=True)
    approved_at = models.DateTimeField(_("approved"), null=True, blank=True)
    # What the operator must mend, as the far end's closed error vocabulary says it; empty while all is well.
    trouble = models.CharField(_("trouble"), max_length=60, blank=True)
    trouble_at = models.DateTimeField(_("trouble since"), null=True, blank=True)
    trouble_seen_at = models.DateTimeField(_("trouble last seen"), null=True, blank=True)
    is_sandbox = models.BooleanField(_("belongs to the sandbox"), default=False)

    class Meta:
        verbose_name = _("client registration")
        verbose_name_plural = _("client registrations")
        constraints = [
            models.UniqueConstraint(
                fields=["authorization_server"],
                condition=~Q(status__in=["rejected", "retired"]),
                name="one_standing_registration_per_authorization_server",
            )
        ]

    class Privacy:
        secret = ("sealed_secret",)
        operational = (
            "id", "authorization_server", "label", "status", "is_switched_on", "redirect_id", "launch_id", "client_id",
            "secret_set_at", "authentication", "signing_key", "versions_added", "smart_version", "scope",
            "refresh_scope", "asks_identity", "prompts_for_consent", "uses_pkce", "sends_state",
            "refresh_window_hours", "minimum_refresh_seconds", "requested_at", "approved_at", "trouble", "trouble_at",
            "trouble_seen_at", "is_sandbox",
        )  # fmt: skip

    def __str__(self) -> str:
        return self.label
