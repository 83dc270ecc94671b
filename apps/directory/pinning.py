"""What was given for one origin stays with it: client secrets, codes and tokens go to no other, but for those that
staff approve.

In a SMART deployment each organization has an authorization server of its own, all of them below one origin, and one
client registration may serve several. A FHIR server can name any addresses it likes as its own, so what it names is
compared with where the registration was made. Both addresses count: a foreign token address would be given the secret
and the code, and a foreign authorize address could take the patient to the genuine one on its own terms, without the
`aud` that keeps the genuine token from the wrong FHIR server (interface facts 3.4; section 6, rows 7 and 15).
"""

from functools import lru_cache

from apps.directory.models import AuthorizationServer, ClientRegistration
from apps.wire.addresses import page_beside


def share_origins(one: AuthorizationServer, other: AuthorizationServer) -> bool:
    """Whether patients sign in, and tokens are issued, at the same origins (scheme, host and port)."""
    pairs = ((one.authorize_url, other.authorize_url), (one.token_url, other.token_url))
    return all(_is_known_as_same(mine, theirs) for mine, theirs in pairs)


def knows(registration: ClientRegistration, server: AuthorizationServer) -> bool:
    """Whether what was given to this registration may go there: where it was made, or where staff approved since. Uses
    prefetched rows where there are some, and asks for none where the origins are those of before."""
    if share_origins(server, registration.authorization_server):
        return True
    return any(
        known.withdrawn_at is None
        and _is_known_as_same(server.authorize_url, known.authorize_origin)
        and _is_known_as_same(server.token_url, known.token_origin)
        for known in registration.known_origins.all()
    )


def is_same_origin(url: str, other: str) -> bool:
    """No for anything that is not plainly an address, and for http anywhere but on this machine."""
    return page_beside(url, beside=other) is not None


@lru_cache(maxsize=1024)
def _is_known_as_same(url: str, other: str) -> bool:
    """Addresses of the directory, which every refresh compares, and which hardly ever change."""
    return is_same_origin(url, other)


def spellings(origin: str) -> tuple[str, ...]:
    """How an origin in small letters may be written: with the port that its scheme has anyway, or without."""
    scheme, _, host = origin.partition("://")
    usual = {"https": ":443", "http": ":80"}.get(scheme, "")
    bare = host.removesuffix(usual)
    return (f"{scheme}://{bare}", f"{scheme}://{bare}{usual}") if ":" not in bare else (origin,)
