"""A token that is deleted here and still has to be revoked at its provider. Only `apps.connections.revoking` writes
it."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.directory.models import ClientRegistration, Endpoint, Provider


class PendingRevocation(models.Model):
    """Sealed for the installation and tied to no account: it outlives the connection, and a closed account, until the
    provider confirms or a day of tries is over. It is never used to read anything."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user_id = models.UUIDField()
    connection_id = models.UUIDField(null=True)  # None if no connection ended with the token
    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, related_name="+")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="+")
    registration = models.ForeignKey(ClientRegistration, on_delete=models.PROTECT, related_name="+")
    sealed_token = models.BinaryField()
    token_origin = models.CharField(max_length=300, blank=True, default="", db_default="")  # as in `StoredTokenSet`
    created_at = models.DateTimeField()
    try_at = models.DateTimeField(db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name = _("pending revocation")
        verbose_name_plural = _("pending revocations")

    class Privacy:
        secret = ("sealed_token",)
        operational = (
            "id", "user_id", "connection_id", "provider", "endpoint", "registration", "token_origin", "created_at",
            "try_at", "tries",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"pending revocation {self.pk}"
