"""Validators for columns that override a dialect."""

import re

from django.core.exceptions import ValidationError
from django.utils.deconstruct import deconstructible
from django.utils.translation import gettext_lazy as _

# One media type with simple parameters (RFC 9110 section 8.3.1): nothing that could end a header line.
_MEDIA_TYPE = re.compile(r"[A-Za-z0-9.+*-]+/[A-Za-z0-9.+*-]+(; ?[A-Za-z0-9-]+=[A-Za-z0-9._-]+)*")


@deconstructible
class Between:
    """A number from `least` to `most`, both included; raises ValidationError for any other."""

    def __init__(self, least: int, most: int) -> None:
        self.least, self.most = least, most

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Between) and (self.least, self.most) == (other.least, other.most)

    def __hash__(self) -> int:
        return hash((self.least, self.most))

    def __call__(self, value: int) -> None:
        """Check one value."""
        if not self.least <= value <= self.most:
            sentence = _("Enter a number from %(least)d to %(most)d, or leave it empty.")
            raise ValidationError(sentence, params={"least": self.least, "most": self.most})


def media_type(value: str) -> None:
    """Raises ValidationError for a value that is no media type for an Accept header."""
    if not _MEDIA_TYPE.fullmatch(value):
        raise ValidationError(_("Enter one media type, such as application/fhir+json, or leave it empty."))
