"""One check of an endpoint: faults, its capabilities, and what changed since the check before."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.directory.models.endpoint import Endpoint


class EndpointCheck(models.Model):
    """Only `directory.monitoring.checking` writes it. What a check could not see stays as an earlier one saw it: a
    server that is silent for a day has changed nothing, and `faults` says that it was silent."""

    class Outcome(models.TextChoices):
        """The result of a check."""

        WELL = "well", _("well")
        ILL = "ill", _("ill")
        UNSURE = "ask", _("did not answer, and is asked again within minutes")

    class Finding(models.TextChoices):
        """What a check finds. The last group are warnings: the endpoint is well, but somebody should look at it."""

        INTERFACE_NOT_SPOKEN = "interface_not_spoken", _("We do not speak its interface or dialect yet.")
        UNSAFE_ADDRESS = "unsafe_address", _("One of its addresses is none we connect to.")
        NO_ANSWER = "no_answer", _("It did not answer.")
        REDIRECTED = "redirected", _("Its address leads elsewhere.")
        TOO_LARGE = "too_large", _("Its capability statement is too large to read.")
        NO_METADATA = "no_metadata", _("It has no capability statement that can be read.")
        UNKNOWN_VERSION = "unknown_version", _("It states a FHIR version that we do not speak.")
        OTHER_VERSION = "other_version", _("It states another FHIR version than the directory does.")
        NO_SMART_CONFIGURATION = "no_smart_configuration", _("It does not say where its people sign in.")
        ADDRESSES_MOVED = "addresses_moved", _("It names another authorization server than before.")
        NOT_ENABLED = "not_enabled", _("The organization has not enabled the application.")
        NOT_DISCOVERED = "not_discovered", _("It could not be asked where its people sign in.")
        CERTIFICATE_EXPIRED = "certificate_expired", _("A certificate has expired.")
        CERTIFICATE_NOT_YET = "certificate_not_yet", _("A certificate is not valid yet.")
        CERTIFICATE_OTHER_HOST = "certificate_other_host", _("A certificate is for another host.")
        CERTIFICATE_UNTRUSTED = "certificate_untrusted", _("A certificate was issued by nobody we trust.")
        OLD_TLS = "old_tls", _("A host speaks only versions of TLS that are too old.")
        NO_SIGN_IN = "no_sign_in", _("The host where its people sign in did not answer.")

        CERTIFICATE_ENDS_SOON = "certificate_ends_soon", _("A certificate ends within 30 days.")
        CERTIFICATE_ENDS_VERY_SOON = "certificate_ends_very_soon", _("A certificate ends within 14 days.")
        DOCUMENTS_DISAGREE = "documents_disagree", _("Its documents disagree: see its disagreements.")
        NOTHING_OFFERED = "nothing_offered", _("It states no kind of entries that we copy.")

    endpoint = models.ForeignKey(
        Endpoint, on_delete=models.CASCADE, related_name="checks", verbose_name=_("endpoint"), db_index=False
    )
    checked_at = models.DateTimeField(_("checked"))
    is_latest = models.BooleanField(_("the latest one"), default=True)
    outcome = models.CharField(_("outcome"), max_length=4, choices=Outcome)
    faults = ArrayField(models.CharField(max_length=40), verbose_name=_("what is wrong"), default=list)
    warnings = ArrayField(models.CharField(max_length=40), verbose_name=_("what to look at"), default=list)
    fhir_version = models.CharField(_("FHIR version it states"), max_length=8, blank=True)
    software = models.CharField(_("software"), max_length=200, blank=True)
    types = ArrayField(models.CharField(max_length=64), verbose_name=_("kinds of entries it states"), default=list)
    # A digest of everything that it states about them, including interactions and search parameters.
    types_digest = models.CharField(max_length=64, blank=True)
    authorize_url = models.CharField(_("authorize address"), max_length=1000, blank=True)
    token_url = models.CharField(_("token address"), max_length=1000, blank=True)
    issuer = models.CharField(_("issuer"), max_length=1000, blank=True)
    # For each host: {"host", "issuer", "ends_at", "digest", "tls_version"}, all texts. And when the first expires.
    certificates = models.JSONField(_("certificates"), default=list)
    certificate_ends_at = models.DateTimeField(_("first certificate ends"), null=True)
    # Each {"what", "before", "after"}, all texts: `directory.monitoring.comparing` puts them into words.
    changes = models.JSONField(_("what changed since the check before"), default=list)

    class Meta:
        verbose_name = _("endpoint check")
        verbose_name_plural = _("endpoint checks")
        constraints = [
            models.UniqueConstraint(fields=["endpoint"], condition=Q(is_latest=True), name="one_latest_check")
        ]
        indexes = [
            models.Index(fields=["endpoint", "-id"], name="checks_of_an_endpoint"),
            # For the admin's two filters of all endpoints.
            models.Index(fields=["outcome", "endpoint"], condition=Q(is_latest=True), name="latest_checks_by_outcome"),
            models.Index(fields=["certificate_ends_at"], condition=Q(is_latest=True), name="latest_checks_by_end"),
        ]

    class Privacy:
        operational = (
            "id", "endpoint", "checked_at", "is_latest", "outcome", "faults", "warnings", "fhir_version", "software",
            "types", "types_digest", "authorize_url", "token_url", "issuer", "certificates", "certificate_ends_at",
            "changes",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"check #{self.pk} of {self.endpoint_id}"

    @property
    def findings(self) -> "list[str | Promise]":
        """What is wrong, then what to look at, each as a sentence."""
        return [self.Finding(name).label for name in (*self.faults, *self.warnings)]
