"""The link of a share: one URL for people, with a SMART Health Link in its fragment for programs.

A browser never sends the fragment, so the key with which a program decrypts its file never reaches us. The URL itself
leads to a page of ours, which works without a script that reads the fragment.
"""

from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import Final

import qrcode
from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from qrcode.image.svg import SvgPathImage

from apps.sharing.health_links.links import LONGEST_URL, Flag, HealthLink, fitting_label
from apps.sharing.terms import Terms

_GROUP: Final = 3  # digits of a passcode that are read together
_FLAGS: Final = frozenset({Flag.LONG_TERM, Flag.PASSCODE})  # long-term, because the contents change with the record


@dataclass(frozen=True, repr=False)
class Link:
    """`url` is for people, `passcode` is grouped for reading aloud. `health_link` is for programs, and empty if this
    site's address is too long for one. `picture` is a QR code of both, as the `src` of an image."""

    url: str
    passcode: str
    health_link: str
    picture: str


def of(agreed: Terms, *, expires_at: datetime) -> Link:
    """What the owner passes on, link and passcode by separate ways."""
    url = _whole("shared", agreed.token)
    health_link = _health_link(agreed, expires_at)
    digits = agreed.passcode
    return Link(
        url=url,
        passcode=" ".join(digits[start : start + _GROUP] for start in range(0, len(digits), _GROUP)),
        health_link=health_link.uri() if health_link else "",
        picture=_picture(health_link.uri(f"{url}#") if health_link else url),
    )


def _health_link(agreed: Terms, expires_at: datetime) -> HealthLink | None:
    url = _whole("shared_manifest", agreed.token)
    if len(url) > LONGEST_URL:
        return None
    label = fitting_label(_("A part of a health record, shared by the person it is about"))
    return HealthLink(url, agreed.key, expires_at=expires_at, flags=_FLAGS, label=label)


def _whole(name: str, token: str) -> str:
    return settings.SITE_ORIGIN + reverse(name, args=[token])


def _picture(link: str) -> str:
    drawn = BytesIO()
    qrcode.make(link, image_factory=SvgPathImage).save(drawn)
    return f"data:image/svg+xml;base64,{b64encode(drawn.getvalue()).decode()}"
