"""What was issued for one origin stays with it: client secrets, codes and tokens are sent to no other origin, except
those that staff approve.

In a SMART deployment each organization has its own authorization server, all of them at one origin, and one client
registration may serve several. A FHIR server can name any addresses as its own, so they are compared with those for
which the registration was made. Both addresses count: a foreign token URL would get the secret and the code, and a
foreign authorize URL could send the patient on to the genuine one on its own terms, without the `aud` that keeps the
genuine token from the wrong FHIR server (interface facts 3.4; section 6, rows 7 and 15).
"""

from datetime import datetime
from functools import lru_cache

from apps.directory.models import AuthorizationServer, ClientRegistration
from apps.wire.addresses import page_beside


def share_origins(one: AuthorizationServer, other: AuthorizationServer) -> bool:
    """Whether sign-in and token URLs have the same origins (scheme, host and port)."""
    pairs = ((one.authorize_url, other.authorize_url), (one.token_url, other.token_url))
    return all(_is_known_as_same(mine, theirs) for mine, theirs in pairs)


def knows(registration: ClientRegistration, server: AuthorizationServer) -> bool:
    """Whether secrets and tokens of this registration may be sent there: to the origins for which it was made, or that
    staff approved since. Uses prefetched rows if there are any, and makes no query if the origins are the first
    ones."""
    if share_origins(server, registration.authorization_server):
        return True
    return any(
        known.withdrawn_at is None
        and _is_known_as_same(server.authorize_url, known.authorize_origin)
        and _is_known_as_same(server.token_url, known.token_origin)
        for known in registration.known_origins.all()
    )


def knows_issuer(registration: ClientRegistration, origin: str) -> bool:
    """Whether tokens that were issued at this origin may be sent to the origins that this registration knows. If staff
    approved it, it is the same provider's. If they withdrew that, its tokens go nowhere: they may open something there,
    and nothing anywhere else. An empty origin is one that was not noted."""
    if not origin or _is_known_as_same(registration.authorization_server.token_url, origin):
        return True
    approved = (known for known in registration.known_origins.all() if known.withdrawn_at is None)
    return any(_is_known_as_same(known.token_origin, origin) for known in approved)


def may_be_of_elsewhere(registration: ClientRegistration, *, asked_at: datetime) -> bool:
    """Whether a code that was asked for then may come from a sign-in whose approval staff have withdrawn since."""
    approved = {known.authorize_origin for known in registration.known_origins.all() if known.withdrawn_at is None}
    mine = {registration.authorization_server.authorize_url, *approved}
    return any(
        known.withdrawn_at is not None
        and known.withdrawn_at >= asked_at
        and not any(_is_known_as_same(url, known.authorize_origin) for url in mine)
        for known in registration.known_origins.all()
    )


def is_same_origin(url: str, other: str) -> bool:
    """False for anything that is not plainly a URL, and for http except on this machine."""
    return page_beside(url, beside=other) is not None


@lru_cache(maxsize=1024)
def _is_known_as_same(url: str, other: str) -> bool:
    """Cached, because every refresh compares the same addresses."""
    return is_same_origin(url, other)


def spellings(origin: str) -> tuple[str, ...]:
    """The spellings of a lower-case origin: with the default port of its scheme, or without."""
    scheme, _, host = origin.partition("://")
    usual = {"https": ":443", "http": ":80"}.get(scheme, "")
    bare = host.removesuffix(usual)
    return (f"{scheme}://{bare}", f"{scheme}://{bare}{usual}") if ":" not in bare else (origin,)
