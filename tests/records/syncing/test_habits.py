"""Habits of providers, lawful and not, at every kind of root: a sync brings every row that is released, sends tokens
only below its root, and names each real gap. The record is a small one, of Ines."""

import socket

import pytest
from django.utils import timezone

from apps.connections import refreshing
from apps.directory.models import ClientRegistration
from apps.records import ledger
from apps.records.models import QuarantinedRow, SyncStep
from apps.records.syncing import planning
from tests.records.linked import make_connection
from tests.records.syncing import practice
from tests.records.syncing.practice import Practice

pytestmark = pytest.mark.django_db

Gap = SyncStep.Gap
ROOTS = [("patient-access", "r4"), ("patient-access", "dstu2"), ("smart", "r4"), ("smart", "dstu2")]
ONE_BY_ONE = {"page_size": "1", "smart_page_size": "1"}
LAWFUL = {
    "a row twice, links in another order, no modes, full URLs in lower case, and a charset": {
        "paging": "repeats", "link_order": "self-first", "entry_mode": "absent", "full_url": "lower-case",
        "data_content_type": "charset", "smart_content_type": "charset", **ONE_BY_ONE,
    },
    "no total, links as asked, no full URLs, plain JSON, and empty refusals": {
        "paging": "no-total", "link_case": "as-asked", "full_url": "absent", "smart_content_type": "plain",
        "outcome": "empty", "smart_refusals": "empty", **ONE_BY_ONE,
    },
}  # fmt: skip
# Then searches that would bring along who wrote what are refused, and that alone may be missing.
REFUSING = {
    "a status": {"required_parameters": "status-demanded", "smart_required_parameters": "status-demanded"},
    "no extras": {"smart_optional_parameters": "refused"},
}
# What is missing has its own word.
BROKEN = {"stops-short": Gap.STOPPED_SHORT, "foreign-host": Gap.STOPPED_SHORT, "loops": Gap.STOPPED_SHORT}

_released: dict[tuple[str, str], dict[str, set[str]]] = {}


@pytest.fixture
def there(alice, sandbox, deploy, interface, version):
    """Alice's link to Ines's record at a root."""
    if interface == "patient-access":
        found = practice.linked(sandbox, alice, version=version, username="ines")
    else:
        found = linked_smart(deploy(version=version), alice)
    if (interface, version) not in _released:  # the record is always the same, and reading it takes a while
        _released[interface, version] = found.released()
    sandbox.delete("/control/requests")
    return found


@pytest.fixture
def released(there, interface, version):
    return _released[interface, version]


@pytest.fixture(autouse=True)
def dialled(monkeypatch):
    """Every address that a connection was opened to, Unix sockets apart."""
    addresses = set()
    connect = socket.socket.connect

    def noting(self, address):
        if isinstance(address, tuple):
            addresses.add(address[:2])
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", noting)
    return addresses


def linked_smart(place, user) -> Practice:
    """A link of interface B by a grant without its pages."""
    tenant = place.endpoint.fhir_base_url.rstrip("/").rpartition("/")[2]
    wanted = {"client_id": place.registration.client_id, "username": "ines", "version": place.endpoint.fhir_version}
    place.sandbox.post("/control/enablements", client_id=place.registration.client_id)
    granted = place.sandbox.post("/control/grants", **wanted, tenant=tenant)["grants"][0]
    connection = make_connection(user, place.endpoint, fhir_patient_id=granted["patient"])
    refreshing.keep(connection, practice.tokens(granted["access_token"]), issued_at=timezone.now())
    ClientRegistration.objects.update(requests_per_minute=100_000)
    base_url = place.endpoint.fhir_base_url.rstrip("/") + "/"
    return Practice(place.sandbox, connection, granted["access_token"], base_url)


def missing(there, released):
    """What was released and is not stored, by type."""
    stored = there.stored()
    lacks = {name: ids - stored.get(name, set()) for name, ids in released.items()}
    return {name: ids for name, ids in lacks.items() if ids}


def gaps(run):
    """What the run lacks, by type, whoever is only named in rows left out."""
    named = run.steps.exclude(gap__in=("", Gap.NOT_OFFERED)).values_list("resource_type", "gap")
    return {name: gap for name, gap in named if name not in planning.ACCOMPANYING}


def assert_stayed(there, dialled):
    """Every request went to the one root, and nowhere else was anything opened."""
    host, _, port = there.sandbox.origin.removeprefix("http://").partition(":")
    assert dialled == {(host, int(port))}
    everything = [row["path"] for row in there.sandbox.get("/control/requests")["requests"]]
    assert everything
    assert len(everything) == len(there.asked()), everything


@pytest.mark.parametrize(("interface", "version"), ROOTS)
class TestAWholeRecord:
    @pytest.mark.parametrize("habit", LAWFUL)
    def test_comes_whatever_the_lawful_habit(self, there, released, dialled, habit):
        there.sandbox.post("/control/switches", **LAWFUL[habit])
        run = there.sync()
        assert missing(there, released) == {}
        assert (run.outcome, gaps(run)) == ("complete", {})
        assert_stayed(there, dialled)

    @pytest.mark.parametrize("demanded", REFUSING)
    def test_comes_by_other_searches_where_some_are_refused(self, there, released, dialled, demanded):
        there.sandbox.post("/control/switches", **REFUSING[demanded])
        run = there.sync()
        assert set(missing(there, released)) <= {planning.PROVENANCE}
        assert gaps(run) == {}
        if run.outcome != "complete":
            assert run.steps.get(resource_type=planning.PROVENANCE).gap == Gap.REFUSED
        assert_stayed(there, dialled)

    @pytest.mark.parametrize("paging", BROKEN)
    def test_that_cannot_all_be_had_is_named(self, there, released, dialled, paging):
        there.sandbox.post("/control/switches", paging=paging, **ONE_BY_ONE)
        run = there.sync()
        lacks, named = missing(there, released), gaps(run)
        assert "Observation" in lacks
        assert {name: BROKEN[paging] for name in lacks if name not in planning.ACCOMPANYING} == named
        assert run.outcome == "partial"
        lines = {str(line.subject): line for line in ledger.lines(there.connection, run, provider="Harbor")}
        assert lines["Vitals"].word == lines["Results"].word == "Not complete"
        assert_stayed(there, dialled)

    def test_comes_whole_where_more_is_counted_than_there_is_and_says_so(self, there, released, dialled):
        there.sandbox.post("/control/switches", paging="wrong-total")
        run = there.sync()
        assert missing(there, released) == {}
        assert set(gaps(run).values()) == {Gap.STOPPED_SHORT}
        assert_stayed(there, dialled)

    def test_comes_beside_rows_of_a_stranger_which_are_put_aside(self, there, released, dialled):
        there.sandbox.post("/control/switches", stray_rows="both")
        run = there.sync()
        assert missing(there, released) == {}
        assert {name for name, gap in gaps(run).items() if gap == Gap.OTHER_PATIENT} == set(gaps(run))
        aside = QuarantinedRow.objects.values_list("resource_type", flat=True)
        assert set(aside) == set(gaps(run)) != set()
        assert "OperationOutcome" not in there.stored()
        assert_stayed(there, dialled)

    def test_comes_after_the_wait_that_a_busy_provider_asks_for(self, there, released, dialled):
        there.sandbox.post("/control/faults", route="data", kind="throttled", count=3, after=4, retry_after="1")
        run = there.sync()
        assert missing(there, released) == {}
        assert (run.outcome, gaps(run)) == ("complete", {})
        assert len([row for row in there.asked() if row["status"] == 429]) == 3
        assert_stayed(there, dialled)

    def test_comes_whole_where_a_link_to_a_page_expires(self, there, released, dialled):
        there.sandbox.post("/control/switches", **ONE_BY_ONE)
        there.sandbox.post("/control/scenarios", name="pages-expire")
        run = there.sync()
        assert missing(there, released) == {}
        assert (run.outcome, gaps(run)) == ("complete", {})
        assert len([row for row in there.asked() if row["status"] == 410]) == 1
        assert_stayed(there, dialled)

    def test_lacks_one_category_alone_where_that_is_withheld(self, there, released, dialled):
        there.sandbox.post("/control/scenarios", name="category-withheld")
        run = there.sync()
        lacks = missing(there, released)
        assert set(lacks) - set(planning.ACCOMPANYING) == {"Observation"}
        assert lacks["Observation"] < released["Observation"]
        assert (run.outcome, gaps(run)) == ("partial", {"Observation": Gap.NOT_SHARED})
        lines = {str(line.subject): line for line in ledger.lines(there.connection, run, provider="Harbor")}
        assert lines["Results"].word == "Not all shared"
        assert_stayed(there, dialled)

    def test_is_not_fetched_again_where_nothing_changed(self, there, released, dialled):
        assert there.sync().outcome == "complete"
        first = there.asked()
        there.sandbox.delete("/control/requests")
        run = there.sync()
        assert (run.outcome, run.is_full) == ("complete", False)
        assert run.steps.filter(rows_changed__gt=0).count() == 0
        searches = [row for row in there.asked() if "patient=" in row["query"]]
        assert searches
        assert [
            (row["path"], row["query"], row["status"]) for row in searches if "_lastUpdated=ge" not in row["query"]
        ] == []
        assert len(there.asked()) <= len(first)
        assert missing(there, released) == {}
        assert_stayed(there, dialled)
