"""Where somebody publishes a list of endpoints, according to a list of such lists."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class PublishedList(models.Model):
    """A page or a file, for staff: we never fetch it, and it may be gone."""

    directory = models.CharField(_("directory it came from"), max_length=120)
    name = models.CharField(_("who publishes it"), max_length=200)
    url = models.URLField(_("address"), max_length=500)
    file_name = models.CharField(_("name of the file"), max_length=200, blank=True)
    imported_at = models.DateTimeField(_("last changed by an import"))
    vanished_at = models.DateTimeField(_("vanished from its directory"), null=True, blank=True)

    class Meta:
        verbose_name = _("where a list is published")
        verbose_name_plural = _("where lists are published")
        constraints = [models.UniqueConstraint(fields=["directory", "name", "url"], name="one_row_per_published_list")]

    class Privacy:
        operational = ("id", "directory", "name", "url", "file_name", "imported_at", "vanished_at")

    def __str__(self) -> str:
        return self.name
