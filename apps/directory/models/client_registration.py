"""A client registration: our account at one authorization server."""

import uuid
from typing import Final

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.directory.models.authorization_server import AuthorizationServer
from apps.directory.models.limits import Between, media_type
from apps.directory.models.signing_key import SigningKey
from apps.directory.models.system_account import SystemAccount
from apps.wire.client_authentication import Authentication
from apps.wire.dialects import Placement

# Each authentication method: what it is, and its name in the standards.
AUTHENTICATIONS: Final = (
    (Authentication.QUERY.value, _("secret in the address (query)")),
    (Authentication.BASIC.value, _("secret in a header (client_secret_basic)")),
    (Authentication.BODY.value, _("secret in the body (client_secret_post)")),
    (Authentication.PRIVATE_KEY_JWT.value, _("signed with our key (private_key_jwt)")),
    (Authentication.BEARER_JWT.value, _("signed, in a header (Bearer)")),
    (Authentication.NONE.value, _("not at all: a public client (none)")),
)


class ClientRegistration(models.Model):
    """Linking is off unless the registration is approved, the version was added, and it is switched on (specification
    1.2, 3). The secret is write-only: sealed for the installation, decrypted by `directory.credentials`. A registration
    is made for one authorization server, and may serve others of the same origin, one per tenant: see Enablement.
    Columns that override the dialect are empty if the dialect applies; `directory.reaching.dialect` combines the
    two."""

    class Status(models.TextChoices):
        """The status of the request at the developer portal."""

        REQUESTED = "requested", _("requested")
        PROVISIONAL = "provisional", _("provisional: credentials exist, not yet active")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")
        RETIRED = "retired", _("retired")

    class SmartVersion(models.TextChoices):
        """The notation of scopes; fixed when the application was registered (interface facts 3.8)."""

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
        Status.REJECTED: set[Status](),  # a new request needs a new registration, with its own redirect URI
        Status.RETIRED: set[Status](),
    }

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    authorization_server = models.ForeignKey(
        AuthorizationServer,
        on_delete=models.PROTECT,
        related_name="registrations",
        verbose_name=_("authorization server"),
    )
    label = models.CharField(_("label"), max_length=120)
    status = models.CharField(_("status"), max_length=12, choices=Status, default=Status.REQUESTED)
    is_switched_on = models.BooleanField(
        _("switched on"), default=True, help_text=_("Off stops linking, refreshing and syncing at once.")
    )
    switched_off_at = models.DateTimeField(_("switched off"), null=True, blank=True, editable=False)
    # In the redirect URI: distinct per registration, so that an answer identifies its sender.
    redirect_id = models.UUIDField(_("redirect id"), default=uuid.uuid4, unique=True, editable=False)
    # In the launch URL for EHR launches: it identifies the registration, and authenticates nobody.
    launch_id = models.UUIDField(
        _("launch id"), default=uuid.uuid4, db_default=RandomUUID(), unique=True, editable=False
    )
    client_id = models.CharField(_("client id"), max_length=500, blank=True)
    sealed_secret = models.BinaryField(null=True, editable=False)
    secret_set_at = models.DateTimeField(_("secret set"), null=True, blank=True, editable=False)
    secret_rotation_due_date = models.DateField(_("secret to be rotated by"), null=True, blank=True)
    authentication = models.CharField(_("how the client proves itself"), max_length=20, choices=AUTHENTICATIONS)
    signing_key = models.ForeignKey(
        SigningKey,
        on_delete=models.PROTECT,
        related_name="registrations",
        verbose_name=_("signing key"),
        null=True,
        blank=True,
    )
    key_set_is_fetched = models.BooleanField(
        _("fetches our key set"),
        default=True,
        help_text=_("The provider reads our key set at its address. Off: it holds a copy that staff uploaded."),
    )
    versions_added = ArrayField(models.CharField(max_length=8), verbose_name=_("versions added"), default=list)
    smart_version = models.CharField(_("SMART version"), max_length=2, choices=SmartVersion, default=SmartVersion.V2)
    scope = models.CharField(_("scope to ask for"), max_length=4000, blank=True)
    refresh_scope = models.CharField(_("scope for refreshing"), max_length=20, choices=RefreshScope, blank=True)
    asks_identity = models.BooleanField(_("asks who signed in"), default=False)
    prompts_for_consent = models.BooleanField(_("asks for the consent page each time"), default=False)
    uses_pkce = models.BooleanField(_("sends PKCE"), default=True)
    # What the developer portal or console knows about us (interface facts, section 8).
    developer_email = models.EmailField(_("developer account"), blank=True)
    application_name = models.CharField(_("application name there"), max_length=120, blank=True)
    application_id = models.CharField(_("application id there"), max_length=200, blank=True)
    desk_url = models.URLField(_("portal or console"), max_length=1000, blank=True)
    support_contact = models.CharField(_("whom to ask there"), max_length=300, blank=True)
    system_account = models.ForeignKey(
        SystemAccount,
        on_delete=models.PROTECT,
        related_name="registrations",
        verbose_name=_("system account"),
        null=True,
        blank=True,
    )
    # Empty: by Basic with its secret, or by an assertion.
    system_authentication = models.CharField(
        _("how the system account proves itself"),
        max_length=20,
        choices=[
            (Authentication.BASIC.value, _("secret in a header (Basic)")),
            (Authentication.BEARER_JWT.value, _("signed, in a header (Bearer)")),
            (Authentication.PRIVATE_KEY_JWT.value, _("signed, in the form (client_assertion)")),
        ],
        blank=True,
        default="",
        db_default="",
    )
    # Each overrides one value of the dialect.
    sends_state = models.BooleanField(_("sends state in the exchange"), null=True, blank=True)
    sends_aud = models.BooleanField(_("sends aud"), null=True, blank=True)
    token_parameters = models.CharField(
        _("token parameters"),
        max_length=5,
        choices=[(Placement.QUERY.value, _("in the address")), (Placement.BODY.value, _("in the body"))],
        blank=True,
    )
    accept = models.CharField(_("Accept header"), max_length=100, blank=True, validators=[media_type])
    refresh_window_hours = models.PositiveIntegerField(
        _("refresh window, hours"), null=True, blank=True, validators=[Between(1, 8784)]
    )
    idle_limit_days = models.PositiveIntegerField(
        _("idle limit, days"), null=True, blank=True, validators=[Between(1, 3660)]
    )
    minimum_refresh_seconds = models.PositiveIntegerField(
        _("refresh interval, seconds"), null=True, blank=True, validators=[Between(1, 3600)]
    )
    assumed_lifetime_seconds = models.PositiveIntegerField(
        _("token lifetime, seconds"), null=True, blank=True, validators=[Between(60, 86400)]
    )
    requests_per_minute = models.PositiveIntegerField(
        _("requests per minute"), null=True, blank=True, validators=[Between(1, 600)]
    )
    parallel_requests = models.PositiveIntegerField(
        _("requests at once"), null=True, blank=True, validators=[Between(1, 16)]
    )
    runs_at_once = models.PositiveIntegerField(_("copies at once"), null=True, blank=True, validators=[Between(1, 64)])
    revokes_replaced = models.BooleanField(_("revokes what a sign-in replaced"), null=True, blank=True)
    # Whether a refresh brings a new refresh token (True), or the first one stays valid (False); as last observed.
    rotates_refresh_tokens = models.BooleanField(
        _("replaces refresh tokens"), null=True, blank=True, editable=False, help_text=_("Seen, not set.")
    )
    rotation_seen_at = models.DateTimeField(_("seen"), null=True, blank=True, editable=False)
    requested_at = models.DateTimeField(_("requested"), null=True, blank=True)
    provisional_at = models.DateTimeField(_("provisional"), null=True, blank=True, editable=False)
    approved_at = models.DateTimeField(_("approved"), null=True, blank=True)
    rejected_at = models.DateTimeField(_("rejected"), null=True, blank=True, editable=False)
    retired_at = models.DateTimeField(_("retired"), null=True, blank=True, editable=False)
    # What operators must fix, as a code of the closed error vocabulary; empty while all is well.
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
        personal = ("developer_email", "support_contact")
        operational = (
            "id", "authorization_server", "label", "status", "is_switched_on", "switched_off_at", "redirect_id",
            "launch_id", "client_id", "secret_set_at", "secret_rotation_due_date", "authentication", "signing_key",
            "key_set_is_fetched", "versions_added", "smart_version", "scope", "refresh_scope", "asks_identity",
            "prompts_for_consent", "uses_pkce", "application_name", "application_id", "desk_url", "system_account",
            "system_authentication", "sends_state", "sends_aud", "token_parameters", "accept", "refresh_window_hours",
            "idle_limit_days", "minimum_refresh_seconds", "assumed_lifetime_seconds", "requests_per_minute",
            "parallel_requests", "runs_at_once", "revokes_replaced", "rotates_refresh_tokens", "rotation_seen_at",
            "requested_at", "provisional_at", "approved_at", "rejected_at", "retired_at", "trouble", "trouble_at",
            "trouble_seen_at", "is_sandbox",
        )  # fmt: skip

    def __str__(self) -> str:
        return self.label

    @property
    def signs(self) -> bool:
        """Whether it authenticates with a signing key, for patients or for system access."""
        ways = {self.authentication, self.system_authentication}
        return not ways.isdisjoint({Authentication.PRIVATE_KEY_JWT, Authentication.BEARER_JWT})
