"""A shelf: the sealed, presented entries of one connection and subject, in leaves of one page each. Pages read
these."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.connections.models import Connection


class Shelf(models.Model):
    """Rebuilt as sync steps end, and by command; never authoritative. The index says how many entries there are and on
    which leaf to look, so that a page opens the index and a leaf or two.

    `form` is the version of the format (`shelving.indexing.FORM`), and `tried_at` is when somebody last began to
    rebuild the shelf because that is an old one.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="shelves")
    subject = models.CharField(max_length=40)
    sealed_index = models.BinaryField()
    built_at = models.DateTimeField()
    form = models.SmallIntegerField(default=0, db_default=0)
    tried_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("shelf")
        verbose_name_plural = _("shelves")
        constraints = [models.UniqueConstraint(fields=["user", "connection", "subject"], name="one_shelf_per_subject")]
        indexes = [models.Index(fields=["form", "tried_at"], name="shelves_by_form")]

    class Privacy:
        health = ("sealed_index",)
        operational = ("id", "user", "connection", "subject", "built_at", "form", "tried_at")

    def __str__(self) -> str:
        return f"shelf {self.pk}"


class Leaf(models.Model):
    """The entries of one leaf. `build` identifies the build of the shelf to which it belongs: an index never reads the
    leaves of another. `arrangement` is the order in which the entries stand, and `number` counts the leaves in that
    order."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    shelf = models.ForeignKey(Shelf, on_delete=models.CASCADE, related_name="leaves", db_index=False)
    build = models.UUIDField()
    arrangement = models.CharField(max_length=12)
    number = models.PositiveIntegerField()
    sealed_rows = models.BinaryField()

    class Meta:
        verbose_name = _("leaf")
        verbose_name_plural = _("leaves")
        constraints = [
            models.UniqueConstraint(fields=["shelf", "build", "arrangement", "number"], name="one_leaf_per_place")
        ]

    class Privacy:
        health = ("sealed_rows",)
        operational = ("id", "user", "shelf", "build", "arrangement", "number")

    def __str__(self) -> str:
        return f"leaf {self.pk}"
