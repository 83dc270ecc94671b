"""The client's part of the conformance lists, as far as it is visible on the wire of interface A.

Expectations are literal requests written down from the specification (section numbers beside them); a server on bare
sockets recorded what really arrived. Nothing of the product is used to build them.
"""

import pytest

from apps.wire import authorization, fhir, token_endpoint
from apps.wire.addresses import AddressPolicy
from apps.wire.client_authentication import Authentication, Client
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import AuthorizationExpired, UnsafeAddress, WireError
from apps.wire.secret import Secret
from tests.wire.servers import http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)
PATIENT = {"resourceType": "Patient", "id": "pat-1.a"}
TOKENS = {"access_token": "the-access-token", "refresh_token": "the-refresh-token"}
BACK = "https://holdfast.example/back/7f3a/?keep=this&and=%2Fthat"
BACK_ENCODED = "https%3A%2F%2Fholdfast.example%2Fback%2F7f3a%2F%3Fkeep%3Dthis%26and%3D%252Fthat"
FORM = "application/x-www-form-urlencoded"


def token_server(server, path="/a/r4/auth/token"):
    client = Client("client-7", Secret("s3cret/+&=%"), Authentication.QUERY)
    return token_endpoint.TokenEndpoint(server.url(path), client, DIALECTS["patient-access"], LOOPBACK)


def data_server(server, path="/a/r4/fhir/r4", version=FhirVersion.R4):
    return fhir.FhirServer(server.url(path), version, DIALECTS["patient-access"], LOOPBACK)


def exchange(server):
    return token_endpoint.exchange(token_server(server), code=Secret("c0de/+"), redirect_uri=BACK)


def refresh(server, token="the-refresh-token"):
    return token_endpoint.refresh(token_server(server), refresh_token=Secret(token))


def find(server, **kwargs):
    return fhir.find_patients(data_server(server, **kwargs), access_token=Secret("the-access-token"))


def search(server, resource_type, **kwargs):
    return fhir.search(
        data_server(server, **kwargs),
        access_token=Secret("the-access-token"),
        resource_type=resource_type,
        patient_id="pat-1.a",
    )


def split(target):
    """A request target in its path and its encoded parameters, undecoded."""
    path, _, query = target.partition("?")
    return path, sorted(query.split("&"))


class TestTheAddresses:
    @pytest.mark.conformance("C1", "C2")
    @pytest.mark.parametrize("slash", ["", "/"])
    def test_of_one_version_are_used_as_given_and_never_mixed_with_the_others(self, slash):
        """Rules 1 and 4 of section 4.1: two pairs of bases, unlike each other in every part."""
        bundle = {"resourceType": "Bundle", "entry": []}
        answer = {"/o/tok": TOKENS, "/fresh/token.aspx": TOKENS, "/old/Patient": PATIENT, "/x/new/r4/Patient": PATIENT}

        def by_path(request):
            yield http(200, answer.get(request.path, bundle))

        with serving(by_path) as dstu2, serving(by_path) as r4:
            for server, token_path, base, version in (
                (dstu2, "/o/tok", f"/old{slash}", FhirVersion.DSTU2),
                (r4, "/fresh/token.aspx", f"/x/new/r4{slash}", FhirVersion.R4),
            ):
                endpoint = token_server(server, token_path)
                token_endpoint.exchange(endpoint, code=Secret("c"), redirect_uri=BACK)
                find(server, path=base, version=version)
                search(server, "Goal", path=base, version=version)
        assert [request.path for request in dstu2.requests] == ["/o/tok", "/old/Patient", "/old/Goal"]
        assert [request.path for request in r4.requests] == ["/fresh/token.aspx", "/x/new/r4/Patient", "/x/new/r4/Goal"]


class TestTheAuthorizationUrl:
    @pytest.mark.conformance("C3", "C18")
    def test_holds_the_three_parameters_and_a_state_each_once(self):
        """P1; the state is ours (C5). Without a configured scope none is sent."""
        url = authorization.authorization_url(
            authorize_url="https://login.provider.example/a/r4/auth/authorize",
            client_id="client 7&",
            redirect_uri=BACK,
            state=Secret("st4te-_"),
        )
        path, parameters = split(url)
        assert path == "https://login.provider.example/a/r4/auth/authorize"
        assert parameters == [
            "client_id=client+7%26",
            f"redirect_uri={BACK_ENCODED}",
            "response_type=code",
            "state=st4te-_",
        ]

    @pytest.mark.conformance("C18")
    def test_holds_the_scope_where_one_is_configured(self):
        url = authorization.authorization_url(
            authorize_url="https://login.provider.example/authorize",
            client_id="client-7",
            redirect_uri=BACK,
            state=Secret("s"),
            scope=["launch/patient", "patient/*.read"],
        )
        assert "scope=launch%2Fpatient+patient%2F%2A.read" in split(url)[1]


class TestTheExchange:
    @pytest.mark.conformance("C6")
    def test_is_a_post_with_the_five_parameters_in_the_query_and_an_empty_form(self):
        """P2."""
        with serving(http(200, TOKENS)) as server:
            exchange(server)
        (request,) = server.requests
        path, parameters = split(request.target)
        assert (request.method, path, request.body) == ("POST", "/a/r4/auth/token", b"")
        assert request.headers["content-type"] == FORM
        assert "authorization" not in request.headers
        assert parameters == [
            "client_id=client-7",
            "client_secret=s3cret%2F%2B%26%3D%25",
            "code=c0de%2F%2B",
            "grant_type=authorization_code",
            f"redirect_uri={BACK_ENCODED}",
        ]

    @pytest.mark.conformance("C7")
    @pytest.mark.parametrize(
        "back",
        [
            BACK,
            "https://holdfast.example/back/",
            "https://holdfast.example/back",
            "https://holdfast.example:443/Back/%7Eme/%2f",
            "http://127.0.0.1:8000/back/1/",
        ],
    )
    def test_repeats_the_redirect_uri_of_the_authorization_byte_for_byte(self, back):
        with serving(http(200, TOKENS)) as server:
            url = authorization.authorization_url(
                authorize_url=server.url("/authorize"), client_id="client-7", redirect_uri=back, state=Secret("s")
            )
            token_endpoint.exchange(token_server(server), code=Secret("c"), redirect_uri=back)
        sent = [part for part in split(server.requests[0].target)[1] if part.startswith("redirect_uri=")]
        assert sent == [part for part in split(url)[1] if part.startswith("redirect_uri=")]
        assert dict(server.requests[0].query)["redirect_uri"] == back

    @pytest.mark.conformance("C16")
    @pytest.mark.parametrize("answer", [TOKENS, {"access_token": "the-access-token"}])
    def test_needs_no_expiry_scope_type_or_patient_in_the_answer(self, answer):
        """Section 2.3: of this interface only the two names are known."""
        with serving(http(200, answer)) as server:
            tokens = exchange(server)
        assert tokens.access_token.reveal() == "the-access-token"
        assert (tokens.expires_in_seconds, tokens.scope, tokens.patient, tokens.encounter) == (None,) * 4
        with serving(http(200, {**answer, "expires_in": "3600", "scope": "a b", "token_type": "bEARER"})) as server:
            tokens = exchange(server)
        assert (tokens.expires_in_seconds, tokens.scope) == (3600, ("a", "b"))


class TestTheRefresh:
    @pytest.mark.conformance("C8")
    def test_is_a_post_with_exactly_the_four_parameters_in_the_query_and_an_empty_form(self):
        """P3."""
        with serving(http(200, TOKENS)) as server:
            refresh(server, "0ld/+ token")
        (request,) = server.requests
        path, parameters = split(request.target)
        assert (request.method, path, request.body) == ("POST", "/a/r4/auth/token", b"")
        assert request.headers["content-type"] == FORM
        assert "authorization" not in request.headers
        assert parameters == [
            "client_id=client-7",
            "client_secret=s3cret%2F%2B%26%3D%25",
            "grant_type=refresh_token",
            "refresh_token=0ld%2F%2B+token",
        ]

    @pytest.mark.conformance("C17")
    def test_gives_the_new_refresh_token_where_one_comes_and_none_where_none_does(self):
        """Section 2.3: none means that the old one is kept."""
        with serving(http(200, {"access_token": "a2", "refresh_token": "r2"})) as server:
            rotated = refresh(server)
        assert rotated.refresh_token == Secret("r2")
        for body in ({"access_token": "a2"}, {"access_token": "a2", "refresh_token": None}):
            with serving(http(200, body)) as server:
                kept = refresh(server)
            assert kept.refresh_token is None


class TestADataCall:
    @pytest.mark.conformance("C10")
    def test_carries_the_token_in_its_header_and_nowhere_else(self):
        """Rule 3 of section 4.1, and P4."""
        with serving(http(200, {"resourceType": "Bundle", "entry": [{"resource": PATIENT}]})) as server:
            home = data_server(server)
            token = Secret("the-access-token")
            find(server)
            search(server, "Goal")
            fhir.follow(home, access_token=token, next_url=server.url("/a/R4/fhir/R4/Goal?page=2"))
            fhir.read(home, access_token=token, resource_type="Patient", logical_id="pat-1.a")  # found on the page
        assert [request.method for request in server.requests] == ["GET"] * 4
        for request in server.requests:
            assert request.headers["authorization"] == "Bearer the-access-token"
            assert request.headers["accept"] == "application/json"
            assert "the-access-token" not in request.target
            assert request.body == b""

    @pytest.mark.conformance("C11")
    @pytest.mark.parametrize(
        ("body", "people"),
        [
            (PATIENT, ["pat-1.a"]),
            ({"resourceType": "Bundle", "entry": [{"resource": PATIENT}]}, ["pat-1.a"]),
            (
                {"resourceType": "Bundle", "entry": [{"resource": PATIENT}, {"resource": {**PATIENT, "id": "kid"}}]},
                ["pat-1.a", "kid"],
            ),
            ({"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "OperationOutcome"}}]}, []),
            ({"resourceType": "Bundle"}, []),
        ],
    )
    def test_asks_whose_record_this_is_and_takes_a_patient_or_a_bundle(self, body, people):
        """P4."""
        with serving(http(200, body)) as server:
            assert [person.logical_id for person in find(server)] == people
        assert [request.target for request in server.requests] == ["/a/r4/fhir/r4/Patient"]

    @pytest.mark.conformance("C12")
    def test_names_the_patient_on_routes_that_take_one_and_in_the_path_of_their_own(self):
        """Rule 2 of section 4.1, and P5."""
        bundle = {"resourceType": "Bundle", "entry": []}

        def answer(request):
            yield http(200, PATIENT if "/Patient" in request.path else bundle)

        with serving(answer) as server:
            search(server, "Immunization")
            fhir.read(data_server(server), access_token=Secret("t"), resource_type="Patient", logical_id="pat-1.a")
            for resource_type in ("Practitioner", "Location", "Organization", "Patient"):
                with pytest.raises(WireError):
                    search(server, resource_type)
        assert [request.target for request in server.requests] == [
            "/a/r4/fhir/r4/Immunization?patient=pat-1.a",
            "/a/r4/fhir/r4/Patient/pat-1.a",
        ]

    @pytest.mark.conformance("C59")
    @pytest.mark.parametrize("status", [200, 400, 403, 404, 422, 500])
    @pytest.mark.parametrize(
        ("body", "content_type"),
        [
            (
                (
                    '{"resourceType":"OperationOutcome","issue":[{"severity":"error","diagnostics":"x"},'
                    '{"severity":"information","diagnostics":"at System.Web.Mvc"}]}'
                ),
                "application/fhir+json",
            ),
            ('{"resourceType":"OperationOutcome"}', "application/json"),
            ("Patient or _id is required", "text/plain"),
            ("<!DOCTYPE html><title>Oops</title>", "text/html"),
            ("", ""),
            ("", "application/json"),
            ('{"resourceType":"OperationOutcome","issue":[{"sev', "application/json"),
        ],
    )
    def test_survives_an_outcome_of_any_kind(self, status, body, content_type):
        with serving(http(status, body, content_type)) as server:
            for call in (lambda: find(server), lambda: search(server, "Goal"), lambda: exchange(server)):
                with pytest.raises(WireError):
                    call()

    @pytest.mark.conformance("C71")
    @pytest.mark.parametrize("version", FhirVersion)
    @pytest.mark.parametrize(
        "content_type",
        [
            *("application/json", "application/fhir+json", "application/json+fhir", "Application/JSON; charset=UTF-8"),
            *("application/fhir+json;charset=utf-8", "application/json+fhir; charset=UTF-8; fhirVersion=1.0"),
            *("text/html", ""),
        ],
    )
    def test_believes_the_resource_type_rather_than_the_header(self, content_type, version):
        with serving(http(200, {**PATIENT, "id": "d\u00e9j\u00e0"}, content_type)) as server:
            (patient,) = find(server, version=version)
        assert patient.logical_id == "d\u00e9j\u00e0"
        with serving(http(200, '{"resourceType":"Person","id":"1"}', content_type)) as server, pytest.raises(WireError):
            find(server, version=version)


class TestMetadata:
    @pytest.mark.conformance("C13")
    @pytest.mark.parametrize(
        ("kind", "number", "version"),
        [("Conformance", "1.0.2", FhirVersion.DSTU2), ("CapabilityStatement", "4.0.1", FhirVersion.R4)],
    )
    def test_is_fetched_without_a_token_and_names_the_offered_types(self, kind, number, version):
        """P6 and section 5.1.4."""
        resources = [
            {"type": "Patient", "interaction": [{"code": "read"}]},
            {"type": "Goal", "interaction": [{"code": "search-type"}], "searchParam": [{"name": "patient"}]},
        ]
        statement = {"resourceType": kind, "fhirVersion": number, "rest": [{"mode": "server", "resource": resources}]}
        with serving(http(200, statement)) as server:
            home = data_server(server, version=version)
            offered = fhir.capability(home)
        (request,) = server.requests
        assert (request.method, request.target) == ("GET", "/a/r4/fhir/r4/metadata")
        assert "authorization" not in request.headers
        assert offered.version is version
        assert {name: set(offer.interactions) for name, offer in offered.types.items()} == {
            "Patient": {"read"},
            "Goal": {"search-type"},
        }
        assert offered.types["Goal"].search_parameters == {"patient"}


class TestARedirect:
    @pytest.mark.conformance("C68")
    def test_is_followed_nowhere_and_takes_no_secret_along(self):
        with serving(http(200, TOKENS)) as elsewhere:
            with serving(http(307, Location=elsewhere.url("/a/r4/auth/token"))) as server:
                for call in (lambda: exchange(server), lambda: refresh(server), lambda: find(server)):
                    with pytest.raises(WireError) as refused:
                        call()
                    assert not isinstance(refused.value, UnsafeAddress | AuthorizationExpired)
            assert len(server.requests) == 3
        assert not elsewhere.requests
