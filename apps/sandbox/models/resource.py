"""What the data routes serve: resources as finished JSON, with the columns by which searches filter, and files of
documents.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models


class Resource(models.Model):
    """One resource in one FHIR version of one tenant ("" for interface A). `body` is sent unchanged.

    `patient_id` is the logical id of the Patient in whose compartment it is; empty for what belongs to the practice.
    `tokens` has what token, reference and string searches match, as `fhir.indexing` writes it; `dated_from` and
    `dated_until` (exclusive) bound the date by which its type is searched. A page is read along the first index, in the
    order of `id`.
    """

    tenant = models.CharField(max_length=64, blank=True, default="")
    version = models.CharField(max_length=5)
    patient_id = models.CharField(max_length=64, blank=True)
    resource_type = models.CharField(max_length=40)
    logical_id = models.CharField(max_length=64)
    body = models.BinaryField()
    tokens = ArrayField(models.TextField(), default=list)
    dated_from = models.DateTimeField(null=True)
    dated_until = models.DateTimeField(null=True)
    last_updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "version", "resource_type", "logical_id"], name="sandbox_one_resource"
            ),
        ]
        indexes = [
            models.Index(fields=["tenant", "version", "patient_id", "resource_type", "id"], name="sandbox_compartment"),
            GinIndex(fields=["tokens"], name="sandbox_provenance", condition=models.Q(resource_type="Provenance")),
        ]

    def __str__(self) -> str:
        return f"{self.resource_type}/{self.logical_id} ({self.version})"


class StoredFile(models.Model):
    """The content of a document, served as `document/{name}` and as `Binary/{name}`."""

    tenant = models.CharField(max_length=64, blank=True, default="")
    version = models.CharField(max_length=5)
    patient_id = models.CharField(max_length=64)
    name = models.CharField(max_length=64)
    content_type = models.CharField(max_length=80)
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "version", "name"], name="sandbox_one_file")]

    def __str__(self) -> str:
        return f"{self.name} ({self.version})"
