"""The addresses of interface B, as they are announced. All below SANDBOX_ORIGIN; a root ends with a slash."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from apps.sandbox import scenarios

HOSTS = {"patient": "myrecord", "provider": "ehr"}
PERSONAS = {host: persona for persona, host in HOSTS.items()}
DEEP = "interop/api/fhir/"  # what follows the tenant where roots lie deeper


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
    """What follows the tenant in a root: nothing, or a path with a closing slash (switch `root_path`)."""
    return DEEP if scenarios.chosen("root_path") == "deep" else ""


def place_of(aud: str) -> Place | None:
    """The root of this tree that `aud` names, or None where it names something else.

    Scheme and host are compared without case; the path exactly, except for one closing slash (switch `aud_slash`).
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
    """Where a browser is sent to ask for access."""
    return f"{_tenant(tenant)}/protocols/oauth2/profiles/smart-v1/personas/{persona}/authorize"


def token(tenant: str, host: str) -> str:
    """The token endpoint, in the form that stands now (switch `token_path`)."""
    hosts = f"/hosts/{host}" if scenarios.chosen("token_path") == "hosts" else ""
    return f"{_tenant(tenant)}{hosts}/protocols/oauth2/profiles/smart-v1/token"


def revocation(tenant: str, host: str) -> str:
    """Where a token is given back (RFC 7009)."""
    return f"{token(tenant, host)}/revoke"


def introspection() -> str:
    """Where a token is looked into (RFC 7662)."""
    return f"{settings.SANDBOX_ORIGIN}/b/authorization/tokeninfo"


def key_set() -> str:
    """Where the public keys are."""
    return f"{settings.SANDBOX_ORIGIN}/b/authorization/jwk"


def manage(tenant: str) -> str:
    """Where patients see and end what they allowed."""
    return f"{_tenant(tenant)}/personas/patient/my-authorizations"


def _tenant(tenant: str) -> str:
    return f"{settings.SANDBOX_ORIGIN}/b/authorization/tenants/{tenant}"
