"""Whatever a server answers, the wire returns its result or raises a WireError: more than five thousand answers.

They are sent over a real socket, because half of what can go wrong happens between the socket and the parser.
"""

import copy
import json
from contextlib import contextmanager
from functools import reduce
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.wire import bundles, discovery, fhir, token_endpoint
from apps.wire.addresses import AddressPolicy, check_address
from apps.wire.client_authentication import Authentication, Client
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import WireError
from apps.wire.secret import Secret
from tests.wire.servers import http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)
TOKEN = Secret("an-access-token")
EACH = settings(
    max_examples=1_300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
)

KEYS = """
    access_token token_type expires_in refresh_token scope patient encounter id_token error error_description error_uri
    resourceType id entry link resource search mode relation url total rest type interaction searchParam code name
    fhirVersion software version publisher security extension valueUri authorization_endpoint token_endpoint
    revocation_endpoint management_endpoint introspection_endpoint jwks_uri issuer capabilities scopes_supported
    code_challenge_methods_supported authorization_response_iss_parameter_supported
    token_endpoint_auth_signing_alg_values_supported
"""
TELLING = """
    Bearer bearer mac invalid_grant invalid_client access_denied timed_out Patient Bundle Conformance Goal
    CapabilityStatement OperationOutcome 1.0.2 4.0.1 4.0 server client next self outcome match read search-type 1 570
    authorize token manage revoke introspect http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris
    HTTP://FHIR-REGISTRY.smarthealthit.org/StructureDefinition/oauth-uris client S256 plain http://10.0.0.1/ ./token
    -1 1e400 https://evil.example/ //evil.example /fhir/r4/Patient?page=2 ?page=2 https://[ \ud800 \x00 ../.. a/b
"""
keys = st.sampled_from(KEYS.split())
telling = st.sampled_from(TELLING.split())
leaves = st.none() | st.booleans() | st.integers() | st.floats() | telling | st.text(max_size=20) | st.just("x" * 7_000)
json_values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=20,
)


def places(value, path=()):
    """The path of every part of a JSON value."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from places(member, (*path, key))


@st.composite
def shaped_like(draw, example):
    """The example with a few of its parts replaced, left out or added to, or none."""
    value = {"whole": copy.deepcopy(example)}
    for _ in range(draw(st.integers(0, 3))):
        *parents, last = draw(st.sampled_from(list(places(value))[1:]))
        parent: Any = reduce(lambda part, key: part[key], parents, value)
        change = draw(st.sampled_from(["replace", "replace", "remove", "add"]))
        if change == "remove" and parents:
            del parent[last]
        elif change == "add" and isinstance(parent, dict) and parents:
            parent[draw(keys)] = draw(json_values)
        else:
            parent[last] = draw(leaves | json_values)
    return value["whole"]


TOKEN_ANSWER = {
    "access_token": "an-access-token",
    "token_type": "Bearer",
    "expires_in": 570,
    "refresh_token": "a-refresh-token",
    "scope": "patient/Patient.read",
    "patient": "1",
    "encounter": "2",
    "id_token": "x.y.z",
}
PATIENT = {"resourceType": "Patient", "id": "1", "name": [{"family": "Example"}]}
PEOPLE = {
    "resourceType": "Bundle",
    "total": 2,
    "link": [{"relation": "next", "url": "?page=2"}],
    "entry": [{"resource": PATIENT, "search": {"mode": "match"}}, {"resource": {"resourceType": "OperationOutcome"}}],
}
METADATA = {
    "resourceType": "CapabilityStatement",
    "fhirVersion": "4.0.1",
    "software": {"name": "Enterprise", "version": "5"},
    "rest": [
        {
            "mode": "server",
            "resource": [
                {"type": "Patient", "interaction": [{"code": "read"}], "searchParam": [{"name": "_id"}]},
            ],
        }
    ],
}


OAUTH_URIS = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"
SMART_METADATA = {
    "resourceType": "CapabilityStatement",
    "fhirVersion": "4.0.1",
    "rest": [
        {
            "mode": "server",
            "security": {
                "extension": [
                    {
                        "url": OAUTH_URIS,
                        "extension": [
                            {"url": "token", "valueUri": "https://login.example/token"},
                            {"url": "authorize", "valueUri": "https://login.example/authorize"},
                            {"url": "manage", "valueUri": "https://login.example/manage"},
                        ],
                    }
                ]
            },
        }
    ],
}
SMART_CONFIGURATION = {
    "issuer": "https://login.example",
    "jwks_uri": "https://login.example/jwk",
    "authorization_endpoint": "https://login.example/authorize",
    "token_endpoint": "https://login.example/token",
    "revocation_endpoint": "https://login.example/revoke",
    "management_endpoint": "manage",
    "code_challenge_methods_supported": ["S256"],
    "capabilities": ["launch-standalone"],
    "scopes_supported": ["openid"],
    "authorization_response_iss_parameter_supported": True,
    "token_endpoint_auth_signing_alg_values_supported": ["ES384"],
}


def bodies(*examples):
    """Bytes: well-formed JSON of nearly the right shape, the same cut or spoilt, and noise."""
    near = st.one_of(*map(shaped_like, examples)).map(lambda value: json.dumps(value).encode())
    cut = st.tuples(near, st.floats(0, 1)).map(lambda pair: pair[0][: int(len(pair[0]) * pair[1])])
    spoilt = st.tuples(near, st.integers(0, 10_000), st.binary(min_size=1, max_size=3)).map(
        lambda parts: (
            parts[0][: parts[1] % (len(parts[0]) or 1)] + parts[2] + parts[0][parts[1] % (len(parts[0]) or 1) :]
        )
    )
    marked = near.map(lambda body: b"\xef\xbb\xbf" + body)
    deep = st.integers(1, 2_000).map(lambda depth: b'{"entry":[' * depth)
    return st.one_of(near, near, near, cut, spoilt, marked, deep, st.binary(max_size=60), st.text().map(str.encode))


statuses = st.sampled_from([*[200] * 30, 201, 204, 400, 401, 403, 404, 410, 429, 500, 503, 301])
content_types = st.sampled_from(
    [
        "application/json",
        "application/fhir+json;charset=utf-8",
        "text/html",
        "text/plain; charset=utf-16",
        "",
        "/;=",
        "x" * 99,
    ]
)
heads = st.fixed_dictionaries(
    {},
    optional={
        "Retry_After": st.sampled_from(
            ["5", "-1", "Fri, 31 Feb 2026 99:99:99 GMT", "x" * 200, "Fri, 20 Nov 2026 10:00:00"]
        ),
        "WWW_Authenticate": st.sampled_from(
            ["Bearer", 'Bearer error="invalid_token"', 'error=""', '"', "Basic realm=,"]
        ),
        "Date": st.sampled_from(["", "now", "Fri, 20 Nov 2026 10:00:00 GMT", "0"]),
    },
)


class Answering:
    """A server that gives the answer it was told last; for metadata another one, where there is a second."""

    def __init__(self):
        self.answer = b""
        self.second = None

    @contextmanager
    def running(self):
        with serving(
            lambda request: [self.second if self.second and "metadata" in request.target else self.answer]
        ) as running:
            self.url = running.url
            yield self


@pytest.fixture(scope="module")
def server():
    with Answering().running() as running:
        yield running


def only_ours(call):
    """Makes the call; whatever it raises must be a WireError that hangs on nothing."""
    try:
        return call()
    except WireError as raised:
        error = raised
    assert (error.__cause__, error.__context__) == (None, None)
    return None


def is_called_as_sent(row: bundles.Resource) -> bool:
    """By its own id, a number perhaps; where it has none, the entry's address ends with one."""
    return str(json.loads(row.body).get("id", "")) in {"", row.logical_id}


class TestAnyAnswer:
    @EACH
    @given(body=bodies(TOKEN_ANSWER), status=statuses, content_type=content_types, head=heads)
    def test_of_a_token_endpoint_is_tokens_or_an_error_of_ours(self, server, body, status, content_type, head):
        server.answer = http(status, body, content_type, **head)
        endpoint = token_endpoint.TokenEndpoint(
            server.url("/token"), Client("c", Secret("s"), Authentication.QUERY), DIALECTS["patient-access"], LOOPBACK
        )
        for call in (
            lambda: token_endpoint.exchange(endpoint, code=Secret("c"), redirect_uri="https://us.example/back"),
            lambda: token_endpoint.refresh(endpoint, refresh_token=Secret("r")),
        ):
            tokens = only_ours(call)
            if tokens is not None:
                assert 200 <= status < 300
                assert tokens.access_token.reveal().isprintable()
                assert tokens.expires_in_seconds is None or 0 < tokens.expires_in_seconds < 10**9
                assert tokens.patient is None or "/" not in tokens.patient

    @EACH
    @given(body=bodies(PATIENT, PEOPLE), status=statuses, content_type=content_types, head=heads)
    def test_to_who_is_this_is_people_or_an_error_of_ours(self, server, body, status, content_type, head):
        server.answer = http(status, body, content_type, **head)
        home = fhir.FhirServer(server.url("/fhir/r4"), FhirVersion.R4, DIALECTS["patient-access"], LOOPBACK)
        people = only_ours(lambda: fhir.find_patients(home, access_token=TOKEN))
        for person in people or ():
            assert status == 200
            assert is_called_as_sent(person)
            assert person.resource_type == "Patient"

    @EACH
    @given(body=bodies(PATIENT, PEOPLE), status=statuses, content_type=content_types, head=heads)
    def test_to_a_search_is_a_page_or_an_error_of_ours(self, server, body, status, content_type, head):
        server.answer = http(status, body, content_type, **head)
        home = fhir.FhirServer(server.url("/fhir/r4"), FhirVersion.R4, DIALECTS["patient-access"], LOOPBACK)
        page = only_ours(lambda: fhir.search(home, access_token=TOKEN, resource_type="Goal", patient_id="1"))
        if page is not None:
            assert all(map(is_called_as_sent, page.resources))
            if page.next_url:
                only_ours(lambda: fhir.follow(home, access_token=TOKEN, next_url=page.next_url))

    @EACH
    @given(body=bodies(METADATA), status=statuses, content_type=content_types, head=heads)
    def test_to_metadata_is_a_statement_or_an_error_of_ours(self, server, body, status, content_type, head):
        server.answer = http(status, body, content_type, **head)
        home = fhir.FhirServer(server.url("/fhir/r4"), FhirVersion.R4, DIALECTS["patient-access"], LOOPBACK)
        statement = only_ours(lambda: fhir.capability(home))
        if statement is not None:
            assert status == 200
            assert statement.version in FhirVersion

    @EACH
    @given(
        well_known=bodies(SMART_CONFIGURATION),
        metadata=bodies(SMART_METADATA),
        status=statuses,
        content_type=content_types,
        head=heads,
    )
    def test_to_discovery_is_a_configuration_or_an_error_of_ours(
        self, server, well_known, metadata, status, content_type, head
    ):
        server.answer = http(status, well_known, content_type, **head)
        server.second = http(200, metadata, content_type)
        home = fhir.FhirServer(server.url("/fhir/r4"), FhirVersion.R4, DIALECTS["smart"], LOOPBACK)
        found = only_ours(lambda: discovery.discover(home))
        server.second = None
        if found is None:
            return
        stated = vars(found.configuration)
        assert stated["authorize_url"]
        assert stated["token_url"]
        for name, value in stated.items():
            if value is not None and (name.endswith("_url") or name == "issuer"):
                check_address(value, LOOPBACK)
        assert set(found.disagreements) <= set(stated)
        assert all(isinstance(scope, str) for scope in (*stated["capabilities"], *stated["scopes_supported"]))
        assert stated["names_issuer"] in (True, False)

    def test_is_one_of_more_than_five_thousand(self):
        assert EACH.max_examples * 5 >= 5_000
