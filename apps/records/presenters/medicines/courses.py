"""For how long a medicine is meant: for a short time, for a long time, or in certain seasons (in R4 only)."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.elements import Element
from apps.records.presenters.heads import status_codes


def read(resource: Element) -> str:
    """A key of `WORDS`, or else the provider's words."""
    codes = status_codes(resource, "courseOfTherapyType")
    return next((code for code in codes if code in WORDS), title_of(resource.get("courseOfTherapyType")))


WORDS: Mapping[str, str | Promise] = {
    "acute": _("A short time"),
    "continuous": _("A long time"),
    "seasonal": _("Certain seasons"),
}
