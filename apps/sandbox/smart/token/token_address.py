"""Whether a grant may be used at a token URL: the right organization, which exists and has enabled the application."""

from dataclasses import dataclass

from apps.sandbox import scenarios
from apps.sandbox.models import SmartGrant
from apps.sandbox.smart import refusing


@dataclass(frozen=True)
class TokenAddress:
    """The token URL of a request. `host` is empty in the older form of the URL."""

    tenant: str
    host: str

    def is_of(self, grant: SmartGrant) -> bool:
        """Whether codes and tokens of the grant are for this URL."""
        return grant.tenant_id == self.tenant and self.host in ("", grant.host)


def check_organization(grant: SmartGrant, *, terminated: str) -> None:
    """Raises Refusal if the organization is suspended (with the error name `terminated`), or no longer allows the
    application."""
    if grant.tenant.is_suspended:
        raise refusing.invalid_grant(terminated)
    late = scenarios.chosen("not_enabled") == "forbidden-at-data"  # then the data routes refuse
    if not late and not grant.application.is_enabled_at(grant.tenant_id):
        raise refusing.Refusal("unauthorized_client", "oauth2:token:unauthorized-client-for-tenant")
