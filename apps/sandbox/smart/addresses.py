"""The URLs of interface B, as they are announced. A root ends with a slash.

All are below SANDBOX_ORIGIN, except that the token endpoint may have moved to this machine's other name, which
represents another origin (switch `token_host`).
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from apps.sandbox import scenarios

HOSTS = {"patient": "myrecord", "provider": "ehr"}
PERSONAS = {host: persona for persona, host in HOSTS.items()}
DEEP = "interop/api/fhir/"  # what follows the tenant where roots lie deeper
_OTHER_NAME = {"127.0.0.1": "localhost", "localhost": "127.0.0.1"}


@dataclass(frozen=True)
class Place:
    """One FHIR root: a host ("myrecord", "ehr" or "open"), a FHIR version and a tenant."""

    host: str
    version: str
    tenant: str

    @property
    def root(self) -> str:
        """Its FHIR base address."""
        return f"{settings.SANDBOX_ORIGIN}/b/{self.host}/{self.version}/{self.tenant}/{below_tenant()}"


def below_tenant() -> str:
    """What follows the tenant in a root: nothing, or a path with a trailing slash (switch `root_path`)."""
    return DEEP if scenarios.chosen("root_path") == "deep" else ""


def place_of(aud: str) -> Place | None:
    """The FHIR root that `aud` names, or None.

    Scheme and host are compared case-insensitively; the path exactly, except for one trailing slash (switch
    `aud_slash`).
    """
    if not aud.isascii() or any(sign in aud for sign in "?#\\ \t\r\n"):
        return None
    if scenarios.chosen("aud_slash") == "matters" and not aud.endswith("/"):
        return None
    try:
        given, ours = urlsplit(aud.removesuffix("/")), urlsplit(settings.SANDBOX_ORIGIN)
    except ValueError:
        return None
    if (given.scheme.lower(), given.netloc.lower()) != (ours.scheme.lower(), ours.netloc.lower()):
        return None
    tail = f"/{below_tenant()}".removesuffix("/")
    parts = given.path.removesuffix(tail).split("/") if given.path.endswith(tail) else []
    if len(parts) != 5 or parts[:2] != ["", "b"] or parts[2] not in PERSONAS or parts[3] not in ("dstu2", "r4"):
        return None
    return Place(host=parts[2], version=parts[3], tenant=parts[4]) if parts[4] else None


def authorize(tenant: str, persona: str) -> str:
    """The authorization endpoint."""
    return f"{_tenant(tenant)}/protocols/oauth2/profiles/smart-v1/personas/{persona}/authorize"


def other_origin() -> str:
    """The origin of this machine's other name."""
    parts = urlsplit(settings.SANDBOX_ORIGIN)
    host = _OTHER_NAME.get(parts.hostname or "", parts.hostname)
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}"


def token_origin() -> str:
    """The origin of the token, revocation and introspection endpoints (switch `token_host`)."""
    return settings.SANDBOX_ORIGIN if scenarios.is_usual("token_host") else other_origin()


def gives_tokens(request: HttpRequest) -> bool:
    """Whether the token endpoint exists under the requested host name: after it moved, the old one is gone."""
    is_old_one = request.get_host() == urlsplit(settings.SANDBOX_ORIGIN).netloc
    return not (is_old_one and scenarios.chosen("token_host") == "moved-and-gone")


def token(tenant: str, host: str) -> str:
    """The token endpoint, in the current form (switch `token_path`)."""
    hosts = f"/hosts/{host}" if scenarios.chosen("token_path") == "hosts" else ""
    return f"{_tenant(tenant, token_origin())}{hosts}/protocols/oauth2/profiles/smart-v1/token"


def as_asked(address: str, request: HttpRequest) -> str:
    """A token URL with the requested host name, for which an assertion is made out."""
    return address.replace(token_origin(), f"{request.scheme}://{request.get_host()}", 1)


def revocation(tenant: str, host: str) -> str:
    """The revocation endpoint (RFC 7009)."""
    return f"{token(tenant, host)}/revoke"


def introspection() -> str:
    """The introspection endpoint (RFC 7662)."""
    return f"{token_origin()}/b/authorization/tokeninfo"


def key_set() -> str:
    """The public keys (JWKS)."""
    return f"{settings.SANDBOX_ORIGIN}/b/authorization/jwk"


def manage(tenant: str) -> str:
    """The page on which patients see and end what they allowed."""
    return f"{_tenant(tenant)}/personas/patient/my-authorizations"


def _tenant(tenant: str, origin: str = "") -> str:
    return f"{origin or settings.SANDBOX_ORIGIN}/b/authorization/tenants/{tenant}"
