"""The two documents of a SMART server, as the standards define them, and what discovery makes of them."""

import pytest

from apps.wire import discovery
from apps.wire.addresses import AddressPolicy
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.discovery import Discovered
from apps.wire.fhir import FhirServer
from tests.wire.servers import http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)
WELL_KNOWN = "/fhir/r4/a-tenant/.well-known/smart-configuration"
METADATA = "/fhir/r4/a-tenant/metadata"

# Every field of SMART App Launch 2.2 that we read.
CONFIGURATION = {
    "issuer": "https://authorization.example/tenants/a-tenant",
    "jwks_uri": "https://authorization.example/jwk",
    "authorization_endpoint": "https://authorization.example/tenants/a-tenant/personas/patient/authorize",
    "token_endpoint": "https://authorization.example/tenants/a-tenant/hosts/fhir.example/token",
    "grant_types_supported": ["authorization_code", "client_credentials"],
    "token_endpoint_auth_methods_supported": ["client_secret_basic", "private_key_jwt"],
    "token_endpoint_auth_signing_alg_values_supported": ["RS384", "ES384"],
    "scopes_supported": ["openid", "patient/Goal.read", "patient/Goal.rs", "openid"],
    "response_types_supported": ["code"],
    "management_endpoint": "https://authorization.example/tenants/a-tenant/my-authorizations",
    "introspection_endpoint": "https://authorization.example/tokeninfo",
    "revocation_endpoint": "https://authorization.example/tenants/a-tenant/token/revoke",
    "code_challenge_methods_supported": ["S256"],
    "authorization_response_iss_parameter_supported": True,
    "capabilities": ["launch-ehr", "launch-standalone", "sso-openid-connect"],
}

DSTU2 = """
{"resourceType": "Conformance", "fhirVersion": "1.0.2", "kind": "instance", "acceptUnknown": "no",
 "rest": [{"mode": "server", "security": {"cors": true, "service": [{"coding": [{"code": "SMART-on-FHIR"}]}],
  "extension": [{"url": "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris", "extension": [
   {"url": "token", "valueUri": "https://login.example/token"},
   {"url": "authorize", "valueUri": "https://login.example/personas/patient/authorize"},
   {"url": "manage", "valueUri": "https://login.example/my-authorizations"}]}]}}]}
"""
R4 = """
{"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "kind": "instance", "status": "active",
 "rest": [{"mode": "server", "security": {
  "extension": [{"extension": [
   {"valueUri": "https://login.example/personas/patient/authorize", "url": "authorize"},
   {"url": "introspect", "valueUri": "https://login.example/tokeninfo"},
   {"url": "revoke", "valueUri": "https://login.example/token/revoke"},
   {"url": "register", "valueUri": "https://login.example/register"},
   {"url": "manage", "valueUri": "https://login.example/my-authorizations"},
   {"url": "token", "valueUri": "https://login.example/token"}],
   "url": "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"}]}}]}
"""
OAUTH_URIS = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"
BOTH = [
    {"url": "authorize", "valueUri": "https://login.example/authorize"},
    {"url": "token", "valueUri": "https://login.example/token"},
]


def extension(*inner, url=OAUTH_URIS):
    return {"url": url, "extension": list(inner or BOTH)}


def rest(*extensions, **members):
    return {"mode": "server", "security": {"extension": list(extensions)}, **members}


def statement(*members):
    return {"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": list(members)}


def home(server, base="/fhir/r4/a-tenant", *, version=FhirVersion.R4, policy=LOOPBACK):
    return FhirServer(server.url(base), version, DIALECTS["smart"], policy)


def documents(well_known=None, metadata=None):
    """A server's two documents, each an answer, something for JSON, or absent."""

    def answer(request):
        found = {WELL_KNOWN: well_known, METADATA: metadata}.get(request.target)
        found = http(404, b"not here", "text/plain") if found is None else found
        yield found if isinstance(found, bytes) else http(200, found)

    return answer


def discovered(well_known=None, metadata=None, **kwargs) -> Discovered:
    with serving(documents(well_known, metadata)) as server:
        return discovery.discover(home(server, **kwargs))


def failed(kind, well_known=None, metadata=None):
    with pytest.raises(kind) as failure:
        discovered(well_known, metadata)
    assert (failure.value.__cause__, failure.value.__context__) == (None, None)
    assert type(failure.value) is kind
    return failure.value


def pair(origin):
    """The two indispensable addresses as inner extensions."""
    return [
        {"url": "authorize", "valueUri": f"{origin}/authorize"},
        {"url": "token", "valueUri": f"{origin}/token"},
    ]
