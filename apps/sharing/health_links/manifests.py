"""Responses to a program: a manifest with one file, embedded or by its URL; or that the passcode was wrong.

By "SMART Health Link Manifest File": JSON, `application/json`. Each of `files` has a `contentType` (STU 1 has three,
none with a parameter), and either `embedded`, the file itself, or `location`, its URL. It may have `lastUpdated` (ISO
8601), `status`, and `fhirVersion`, which it should have if the document is FHIR.

`embedded` is never longer than the request's `embeddedLengthMax`: the length of the encrypted file, not of the
document. For a longer file there is a `location`: valid for an hour at most, without further authentication, fetched by
GET as `application/jose`. So its URL is signed, with the share and the time it was made, and the share is checked again
when the file is fetched.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from apps.sharing.health_links.encrypting import FHIR
from apps.sharing.health_links.manifest_requests import ManifestRequest, Refusal

MANIFEST_TYPE: Final = "application/json"
FILE_TYPE: Final = "application/jose"
LOCATION_LASTS: Final = timedelta(hours=1)  # the longest that the specification allows


@dataclass(frozen=True)
class About:
    """Facts about a file other than where it is. `last_updated` needs a time zone."""

    last_updated: datetime
    content_type: str = FHIR
    fhir_version: str = "4.0.1"


def may_embed(file: str, request: ManifestRequest) -> bool:
    """Whether the program accepts a file of this length in the response itself."""
    return request.embedded_length_max is None or len(file) <= request.embedded_length_max


def embedded(file: str, about: About) -> bytes:
    """The manifest with the file in it."""
    return _manifest("embedded", file, about)


def located(url: str, about: About) -> bytes:
    """The manifest with the file's URL, which is valid for `LOCATION_LASTS` at most."""
    return _manifest("location", url, about)


def wrong_passcode(tries_left: int) -> bytes:
    """The body of a 401. The last one says 0; after that the link is gone (404)."""
    return msgspec.json.encode({"remainingAttempts": max(tries_left, 0)})


def refused(refusal: Refusal) -> bytes:
    """The body of the response to a request that cannot be read, about which the specification says nothing."""
    return msgspec.json.encode({"error": refusal.code})


def _manifest(where: str, what: str, about: About) -> bytes:
    if about.last_updated.tzinfo is None:
        raise ValueError("The time of a file needs a time zone")
    at = about.last_updated.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    described = {
        "contentType": about.content_type,
        where: what,
        "lastUpdated": at,
        "status": "can-change",  # the record is read again for each visit
        "fhirVersion": about.fhir_version,
    }
    return msgspec.json.encode({"files": [described]})
