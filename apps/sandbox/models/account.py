"""Accounts: the credentials for the patient API that a practice made for a patient (specification section 1.4)."""

from django.contrib.auth import hashers
from django.db import models


class Account(models.Model):
    """Somebody who can sign in here, and whose records they may see in each FHIR version.

    `patients` is `{"dstu2": [ids], "r4": [ids]}`: the person first, then those they look after. That is for interface
    A; `tenant_patients` is the same for each tenant of interface B. A clinician has a `practitioner_id` (the logical id
    of a Practitioner) and sees only patients of tenants, none of whom they are themselves.
    """

    username = models.CharField(max_length=150, unique=True)
    password_hash = models.CharField(max_length=128, editable=False)
    shown_password = models.CharField(
        max_length=128, blank=True, help_text="Printed on the start page. Empty for people enrolled by hand."
    )
    display_name = models.CharField(max_length=200)
    patients = models.JSONField(default=dict)
    tenant_patients = models.JSONField(default=dict, blank=True)
    practitioner_id = models.CharField(max_length=64, blank=True)
    about = models.CharField(max_length=200, blank=True, help_text="What is worth knowing about their record.")
    practice = models.CharField(max_length=80, blank=True, help_text="Which practice enrolled them.")
    is_enrolled = models.BooleanField(default=True)

    def __str__(self) -> str:
        return self.username

    def set_password(self, password: str) -> None:
        """Set the password's hash (the caller saves)."""
        self.password_hash = hashers.make_password(password)

    def has_password(self, password: str) -> bool:
        """Whether this is the password, and the account can sign in."""
        return hashers.check_password(password, self.password_hash) and self.is_enrolled

    def patient_ids(self, version: str, tenant: str = "") -> tuple[str, ...]:
        """The ids of the Patients that this account sees in one FHIR version (of one tenant), their own first."""
        patients = self.tenant_patients.get(tenant, {}) if tenant else self.patients
        return tuple(patients.get(version, ()))
