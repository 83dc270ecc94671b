"""Every address of the patient access API comes from a row, separately for each version; none is built in (spec.
4.1)."""

import ast
import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from apps.connections import refreshing
from apps.connections.callback import confirming
from apps.connections.models import Connection, StoredTokenSet
from apps.directory import credentials
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, Provider
from apps.records import syncing
from apps.records.models import SyncRun
from apps.wire.secret import Secret
from config import env
from tests.connections.conftest import Place
from tests.connections.provider_stand_in import CODE, PERSON, SECRET, tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

_HOST = re.compile(r"https?://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
# Names that look like addresses: nothing is ever sent there.
NAMES = {
    "http://fhir-registry.smarthealthit.org",
    "http://smarthealthit.org",
    "http://hl7.org",
    "https://fhir.example.org",
    # code systems, by which codes are told apart, and where their owners describe them
    *("http://loinc.org", "http://www.loinc.org", "https://loinc.org", "http://snomed.info"),
    *("http://unitsofmeasure.org", "https://ucum.org", "http://terminology.hl7.org", "https://hl7.org"),
    "http://www.nlm.nih.gov",  # of medicines: RxNorm
    "http://www.cms.gov",  # of procedures: ICD-10-PCS
    "https://bluebutton.cms.gov",  # of amounts on a bill of Medicare
    "http://www.w3.org",  # the namespace of XHTML
}


@pytest.fixture
def odd_place(stand_in):
    """A version whose addresses follow no pattern."""

    def make(version: str) -> Place:
        url, now = stand_in.server.url, datetime.now(UTC)
        server = AuthorizationServer.objects.create(
            source="configured", authorize_url=url(f"/in-{version}/Default.aspx"), token_url=url(f"/{version}.tok"),
            is_sandbox=True, found_at=now,
        )  # fmt: skip
        registration = ClientRegistration.objects.create(
            authorization_server=server, label=version, status="approved", client_id="ours", authentication="query",
            versions_added=[version], uses_pkce=False, is_sandbox=True,
        )  # fmt: skip
        credentials.keep(registration, Secret(SECRET), at=now)
        endpoint = Endpoint.objects.create(
            authorization_server=server, fhir_base_url=url(f"/rec.{version}/x"), fhir_version=version,
            interface="patient-access", dialect="patient-access", is_sandbox=True, imported_at=now,
        )  # fmt: skip
        provider = Provider.objects.create(
            directory="tests", directory_id=version, name="Harbor", is_sandbox=True, imported_at=now
        )
        endpoint.providers.add(provider)
        return Place(provider, endpoint, registration)

    return make


class TestTheAddressesOfAVersion:
    @pytest.mark.conformance("C2")
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    def test_are_those_of_its_rows_from_the_sign_in_to_the_copy(self, traveller, odd_place, stand_in, version):
        places = {each: odd_place(each) for each in ("dstu2", "r4")}
        place = places[version]
        answers = {f"/{version}.tok": tokens(expires_in=300), f"/rec.{version}/x/Patient": http(body=PERSON)}
        stand_in.server.answer = lambda request: iter([answers.get(request.path, http(404))])
        departed = traveller.leave(place)
        assert urlsplit(departed.url).path == f"/in-{version}/Default.aspx"
        traveller.come_back(place, code=CODE, state=departed.state)
        found = Connection.objects.get()
        connection = confirming.confirm(found, candidate=0, at=found.created_at).connection
        run = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=found.created_at)
        syncing.advance(run.pk, at=found.created_at)
        refreshing.usable_token(connection, at=found.created_at + timedelta(hours=1))
        asked = [request.path for request in stand_in.server.requests]
        assert asked.count(f"/{version}.tok") == 2
        assert all(path == f"/{version}.tok" or path.startswith(f"/rec.{version}/x/") for path in asked)
        assert StoredTokenSet.objects.count() == 1


class TestTheSource:
    @pytest.mark.conformance("C2")
    def test_holds_no_address_of_anybody(self):
        built_in = {
            f"{path.relative_to(env.ROOT)}: {found[0]}"
            for path in sorted((env.ROOT / "apps").rglob("*.py"))
            if "sandbox" not in path.parts and "migrations" not in path.parts
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            for found in [_HOST.search(node.value)]
            if found and found[0] not in NAMES
        }
        assert built_in == set()
