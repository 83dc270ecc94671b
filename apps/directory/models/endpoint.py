"""An endpoint: one FHIR base URL with its FHIR version."""

import uuid
from typing import Final

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import OpClass
from django.db import models
from django.db.models import Func, Value
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from apps.directory.models.authorization_server import AuthorizationServer
from apps.directory.models.provider import Provider
from apps.wire.dialects import FhirVersion, Interface

ALIKE = Lower(Func("fhir_base_url", Value("/"), function="rtrim"))
INTERFACES: Final = (
    (Interface.PATIENT_ACCESS.value, _("Patient access API")),
    (Interface.SMART.value, _("SMART deployment")),
)


class Endpoint(models.Model):
    """Where records are. Its version is stated, never guessed from a payload; it pairs only with an authorization
    server of the same version (specification 4.1 rule 1)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    providers = models.ManyToManyField(
        Provider, through="directory.ProviderPortal", related_name="endpoints", verbose_name=_("providers")
    )
    authorization_server = models.ForeignKey(
        AuthorizationServer,
        on_delete=models.PROTECT,
        related_name="endpoints",
        null=True,
        blank=True,
        db_index=False,  # an index below begins with it
        db_constraint=False,  # one over this and `is_sandbox` says the same and more (migration 0001)
        verbose_name=_("authorization server"),
    )
    fhir_base_url = models.URLField(_("FHIR base URL"), max_length=1000, unique=True)
    fhir_version = models.CharField(_("FHIR version"), max_length=8, choices=[(v.value, v.name) for v in FhirVersion])
    interface = models.CharField(_("interface"), max_length=20, choices=INTERFACES)
    dialect = models.CharField(_("dialect"), max_length=40)
    tenant = models.CharField(_("tenant"), max_length=64, blank=True)
    is_sandbox = models.BooleanField(_("belongs to the sandbox"), default=False)
    is_switched_on = models.BooleanField(_("switched on"), default=True)
    switched_off_at = models.DateTimeField(_("switched off"), null=True, blank=True, editable=False)
    # Switched off because patients sign in at its server and staff do not know its host (`trusting`): nothing is sent
    # there, not even by a trial, before staff switch it on.
    is_stranger = models.BooleanField(_("its host waits for a look"), default=False, db_default=False, editable=False)
    # When staff reviewed its host and admitted patients: by switching it on, or by beginning with it at the desk.
    host_seen_at = models.DateTimeField(_("host looked at"), null=True, blank=True, editable=False)
    # What discovery found at this FHIR base URL (interface B): when it was last asked and last answered, what failed
    # the last time, and how its documents disagree with each other or with what was known.
    discovery_tried_at = models.DateTimeField(_("discovery last tried"), null=True, blank=True, editable=False)
    discovered_at = models.DateTimeField(_("last discovered"), null=True, blank=True, editable=False)
    discovery_fault = models.CharField(_("why discovery failed"), max_length=60, blank=True, editable=False)
    disagreements = ArrayField(
        models.CharField(max_length=1000), verbose_name=_("disagreements found"), default=list, editable=False
    )
    # Where it, or its list, says that its patients sign in, while that is an origin that none of its registrations
    # knows: nothing is sent there before staff approve it (`moving`). Empty otherwise.
    named_authorize_url = models.CharField(max_length=1000, blank=True, default="", db_default="", editable=False)
    named_token_url = models.CharField(max_length=1000, blank=True, default="", db_default="", editable=False)
    # Where its patients signed in before it moved to another origin.
    moved_from = models.ForeignKey(
        AuthorizationServer, on_delete=models.SET_NULL, related_name="+", null=True, db_index=False, editable=False
    )
    imported_at = models.DateTimeField(_("last changed by an import"))
    vanished_at = models.DateTimeField(_("vanished from its directory"), null=True, blank=True)

    class Meta:
        verbose_name = _("endpoint")
        verbose_name_plural = _("endpoints")
        indexes = [
            # what an import compares: addresses that may differ in the case of the host or a closing slash; and whether
            # a host is known (`trusting`), from how they begin
            models.Index(OpClass(ALIKE, name="text_pattern_ops"), name="endpoint_alike"),
            # the first of tens of thousands, without sorting them (`registration_overview`)
            models.Index(fields=["authorization_server", "fhir_version", "fhir_base_url"], name="endpoints_in_order"),
            models.Index(
                fields=["authorization_server"],
                condition=models.Q(vanished_at=None) & ~models.Q(discovery_fault=""),
                name="endpoints_not_discovered",
            ),
            models.Index(
                fields=["switched_off_at", "fhir_base_url"],
                condition=models.Q(is_stranger=True, vanished_at=None),
                name="hosts_to_look_at",
            ),
            models.Index(
                fields=["authorization_server"],
                condition=~models.Q(named_token_url=""),
                name="endpoints_that_await",
            ),
        ]

    class Privacy:
        operational = (
            "id", "authorization_server", "fhir_base_url", "fhir_version", "interface", "dialect", "tenant",
            "is_sandbox", "is_switched_on", "switched_off_at", "is_stranger", "host_seen_at", "discovery_tried_at",
            "discovered_at", "discovery_fault", "disagreements", "named_authorize_url", "named_token_url", "moved_from",
            "imported_at", "vanished_at",
        )  # fmt: skip

    def __str__(self) -> str:
        return self.fhir_base_url
