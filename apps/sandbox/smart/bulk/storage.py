"""Where redirected files are: short-lived signed URLs on another origin, which must not be sent a token.

Storage services that sign their URLs refuse a request that also has a token (interface facts 4.3: drop the header). The
signature is in the query, so that the path of a file stays the same.
"""

from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.core import signing
from django.utils.crypto import constant_time_compare

from apps.sandbox.smart import addresses

_SALT = "bulk storage"
_LASTS = timedelta(minutes=5)


def address(job_id: str, name: str, *, at: datetime) -> str:
    """A signed URL, valid for five minutes. This machine's other name represents another origin."""
    until = str(int((at + _LASTS).timestamp()))
    query = urlencode({"until": until, "signature": _signature(job_id, name, until)})
    return f"{addresses.other_origin()}/b/storage/{job_id}/{name}?{query}"


def is_open(job_id: str, name: str, *, until: str, signature: str, at: datetime) -> bool:
    """Whether a URL was signed here, not too long ago."""
    is_ours = constant_time_compare(signature, _signature(job_id, name, until))
    return is_ours and at.timestamp() < int(until)


def _signature(job_id: str, name: str, until: str) -> str:
    return signing.Signer(salt=_SALT).signature(f"{job_id} {name} {until}")
