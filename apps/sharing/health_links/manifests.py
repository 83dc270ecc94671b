"""What a program is told: one file, in the answer itself or elsewhere; or that the passcode was wrong.

By "SMART Health Link Manifest File": JSON, `application/json`. Each of `files` has a `contentType` (STU 1 knows three,
and none has a parameter), and `embedded`, the file itself, or `location`, an address of it; and may have `lastUpdated`
(ISO 8601), `status`, and `fhirVersion`, which should stand where the document is FHIR.

`embedded` is never longer than the request's `embeddedLengthMax`: a length of the payload as embedded, so of the file
and not of the document. Where it would be longer a `location` is given: it holds for an hour at most, needs no further
proof, and is fetched by GET as `application/jose`. So whoever gives one signs into it which share it is of and when it
was made, and looks again whether the share still stands when it is fetched.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

import msgspec

from apps.sharing.health_links.encrypting import FHIR
from apps.sharing.health_links.manifest_requests import ManifestRequest, Refusal

MANIFEST_TYPE: Final = "application/json"
FILE_TYPE: Final = "application/jose"
LOCATION_LASTS: Final = timedelta(hours=1)  # no longer


class Status(StrEnum):
    """Whether a file may change."""

    FINALIZED = "finalized"
    CAN_CHANGE = "can-change"
    ENTERED_IN_ERROR = "entered-in-error"
    NO_LONGER_VALID = "no-longer-valid"
    RETRACTED = "retracted"


@dataclass(frozen=True)
class About:
    """What is said of a file besides where it is. `last_updated` needs a time zone."""

    last_updated: datetime
    status: Status = Status.CAN_CHANGE
    content_type: str = FHIR
    fhir_version: str = "4.0.1"


def may_embed(file: str, request: ManifestRequest) -> bool:
    """Whether the program takes so long a file in the answer itself."""
    return request.embedded_length_max is None or len(file) <= request.embedded_length_max


def embedded(file: str, about: About) -> bytes:
    """The manifest with the file in it."""
    return _manifest("embedded", file, about)


def located(url: str, about: About) -> bytes:
    """The manifest with an address of the file, which holds for `LOCATION_LASTS` at most."""
    return _manifest("location", url, about)


def wrong_passcode(tries_left: int) -> bytes:
    """What stands in the answer 401; the last of them says 0, and after it the link is no more (404)."""
    return msgspec.json.encode({"remainingAttempts": max(tries_left, 0)})


def refused(refusal: Refusal) -> bytes:
    """What stands in the answer to a request that cannot be read: the specification says nothing of it."""
    return msgspec.json.encode({"error": refusal.code})


def _manifest(where: str, what: str, about: About) -> bytes:
    if about.last_updated.tzinfo is None:
        raise ValueError("The time of a file needs a time zone")
    at = about.last_updated.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    described = {
        "contentType": about.content_type,
        where: what,
        "lastUpdated": at,
        "status": about.status,
        "fhirVersion": about.fhir_version,
    }
    return msgspec.json.encode({"files": [described]})
