"""Whether a grant still stands at the address it is used at: right organization, not gone, and letting in."""

from dataclasses import dataclass

from apps.sandbox import scenarios
from apps.sandbox.models import SmartGrant
from apps.sandbox.smart import refusing


@dataclass(frozen=True)
class TokenAddress:
    """The token address a request came to. `host` is empty in the older form of the address."""

    tenant: str
    host: str

    def is_of(self, grant: SmartGrant) -> bool:
        """Whether codes and tokens of the grant are for this address."""
        return grant.tenant_id == self.tenant and self.host in ("", grant.host)


def check_organization(grant: SmartGrant, *, terminated: str) -> None:
    """Raises Refusal when the organization is gone (by the name `terminated`), or lets the application in no more."""
    if grant.tenant.is_suspended:
        raise refusing.invalid_grant(terminated)
    late = scenarios.chosen("not_enabled") == "forbidden-at-data"  # then the data routes refuse
    if not late and not grant.application.is_enabled_at(grant.tenant_id):
        raise refusing.Refusal("unauthorized_client", "oauth2:token:unauthorized-client-for-tenant")
