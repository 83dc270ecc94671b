"""A token for an authenticated system (specification S5 and S6, 5.2.5; X56): no refresh token, no context."""

from datetime import datetime

from django.http import HttpRequest

from apps.sandbox import scenarios, token_fields
from apps.sandbox.models import SmartVersion, Tenant
from apps.sandbox.smart import scopes, system_tokens
from apps.sandbox.smart.clients import systems
from apps.sandbox.smart.refusing import Refusal
from apps.sandbox.smart.token.issuing import Answer
from apps.sandbox.smart.token.token_address import TokenAddress


def grant(
    request: HttpRequest, given: dict[str, str], address: TokenAddress, *, audiences: list[str], at: datetime
) -> Answer:
    """The four fields of specification 2.3, only for `system/` scopes. Raises Refusal."""
    account = systems.account_of(request, given, audiences=audiences, at=at)
    applications = systems.applications_of(account)
    enabled = [one for one in applications if one.is_enabled_at(address.tenant)]
    late = scenarios.chosen("not_enabled") == "forbidden-at-data"  # then the data routes refuse
    if Tenant.known(address.tenant) is None or not (enabled or late):
        raise Refusal("unauthorized_client", "oauth2:token:unauthorized-client-for-tenant")
    chosen = enabled or list(applications)
    is_any = scenarios.chosen("scope_grammar") == "both"
    grammars = set(SmartVersion) if is_any else {one.smart_version for one in chosen}
    versions = {version for one in chosen for version in one.versions}
    try:
        asked = scopes.read_of_system(given.get("scope", ""), grammars)
    except scopes.Malformed:
        raise Refusal("invalid_scope", "oauth2:grant:invalid-scope") from None
    granted = scopes.grantable_to_system(asked, versions=versions)
    if not granted:
        raise Refusal("invalid_scope", "oauth2:token:empty-scopes")
    return {
        "access_token": system_tokens.issue(
            account, tenant=address.tenant, host=address.host, versions=versions, scopes=granted, at=at
        ),
        **token_fields.type_and_lifetime(system_tokens.told_seconds(account)),
        "scope": " ".join(granted),
    }
