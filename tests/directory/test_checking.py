"""A check of an endpoint: what it finds and compares, whom it tells, and that a hostile server gains nothing."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections

from apps.directory import tasks
from apps.directory.models import ClientRegistration, Endpoint, EndpointCheck
from apps.directory.monitoring import checking, comparing
from apps.directory.searching import wishing
from config.celery import SCHEDULE
from tests.directory.conftest import AT
from tests.wire.servers import http, serving

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def statement(*types, version="4.0.1", software="Millennium", kind="CapabilityStatement"):
    resources = [{"type": name, "interaction": [{"code": "read"}]} for name in types or ("Patient", "Goal")]
    return {
        "resourceType": kind,
        "fhirVersion": version,
        "software": {"name": software, "version": "1"},
        "rest": [{"mode": "server", "resource": resources}],
    }


class Place:
    """An endpoint of the patient access API whose server answers what the test wants."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.answer = http(200, statement())
        self.at = AT
        self.server: Any = None

    def says(self, *args, **kwargs):
        self.answer = http(200, statement(*args, **kwargs))

    def check(self) -> EndpointCheck:
        self.at += DAY
        return checking.check(self.endpoint, at=self.at)

    def changes(self):
        return [comparing.words(change) for change in self.check().changes]


@pytest.fixture
def place(make_provider, make_endpoint):
    made: list[Place] = []

    def answer(_request):
        return made[0].answer() if callable(made[0].answer) else [made[0].answer]

    with serving(answer) as server:
        endpoint = make_endpoint(make_provider("Harbor"), fhir_base_url=server.url("/fhir"))
        endpoint.authorization_server.authorize_url = server.url("/authorize")
        endpoint.authorization_server.token_url = server.url("/token")
        endpoint.authorization_server.save()
        made.append(Place(endpoint))
        made[0].server = server
        yield made[0]


@pytest.fixture
def told(caplog):
    caplog.set_level(logging.ERROR, "apps.directory.monitoring.checking")
    return lambda: [
        record.getMessage() for record in caplog.records if record.name == "apps.directory.monitoring.checking"
    ]


class TestACheck:
    def test_keeps_what_a_server_says_of_itself(self, place):
        made = place.check()
        assert (made.outcome, made.faults, made.warnings, made.changes) == ("well", [], [], [])
        assert (made.fhir_version, made.software, made.types) == ("r4", "Millennium 1", ["Goal", "Patient"])
        assert (made.certificates, made.certificate_ends_at) == ([], None)
        assert made.token_url == place.server.url("/token")

    def test_asks_an_interface_without_discovery_for_its_statement_and_nothing_else(self, place):
        place.check()
        assert [(request.method, request.target) for request in place.server.requests] == [("GET", "/fhir/metadata")]
        assert "authorization" not in place.server.requests[0].headers

    @pytest.mark.parametrize(
        ("answer", "fault"),
        [
            (http(503), "no_answer"),
            (http(429, Retry_After="3600"), "no_answer"),
            (http(404), "no_metadata"),
            (http(200, "<!doctype html><title>Welcome</title>", content_type="text/html"), "no_metadata"),
            (http(200, {"resourceType": "Patient"}), "no_metadata"),
            (http(302, Location="https://elsewhere.example/"), "redirected"),
            (http(200, b"{" + b" " * 5_000_001), "too_large"),
            (http(200, statement(version="3.0.2")), "unknown_version"),
            (http(200, statement(version="1.0.2", kind="Conformance")), "other_version"),
            (http(200, statement(kind="Conformance")), "other_version"),
            (b"", "no_answer"),
        ],
    )
    def test_says_what_is_wrong(self, answer, fault, place):
        place.answer = answer
        assert place.check().faults == [fault]
        made = place.check()
        assert (made.outcome, made.faults) == ("ill", [fault])

    def test_takes_an_older_server_for_what_the_directory_says_it_is(self, place):
        Endpoint.objects.update(fhir_version="dstu2")
        place.endpoint.refresh_from_db()
        place.says(version="1.0.2", kind="Conformance")
        assert place.check().faults == []

    @pytest.mark.parametrize("dribbles", [False, True])
    def test_gives_up_on_a_server_that_is_slow(self, dribbles, place, monkeypatch):
        monkeypatch.setattr("apps.wire.transport.TOTAL_SECONDS", 0.5)

        def slowly():
            yield b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"
            for _ in range(30):
                time.sleep(0.1)
                yield b" " if dribbles else b""

        place.answer = slowly
        began = time.monotonic()
        assert place.check().faults == ["no_answer"]
        assert time.monotonic() - began < 2

    def test_does_not_ask_an_address_the_guard_refuses(self, place):
        place.endpoint.fhir_base_url = "http://fhir.example/r4"
        assert place.check().faults == ["unsafe_address"]

    def test_passes_over_a_dialect_nobody_speaks(self, place):
        place.endpoint.dialect = "hl7-v2"
        assert place.check().faults == ["interface_not_spoken"]
        assert place.server.requests == []

    def test_warns_of_a_server_that_offers_nothing_we_copy(self, place):
        place.says("Slot", "Patient-ish")
        made = place.check()
        assert (made.outcome, made.warnings) == ("well", ["nothing_offered"])


class TestWhatChanged:
    def test_is_nothing_at_the_first_check_and_where_nothing_did(self, place):
        assert place.changes() == place.changes() == []

    def test_is_said_in_words(self, place):
        place.check()
        place.says("Patient", "Observation", software="Soarian")
        assert place.changes() == [
            "Its software is now Soarian 1. It was Millennium 1.",
            "It now offers Observation.",
            "It no longer offers Goal.",
        ]
        assert place.changes() == []

    def test_names_twenty_of_many_kinds_and_says_how_many_there_are(self, place):
        place.check()
        names = sorted(f"{chr(65 + number % 26)}{'a' * number}" for number in range(25))
        place.says("Patient", "Goal", *names)
        assert place.changes() == [f"It now offers {', '.join(names[:20])}, … (25)."]

    def test_includes_what_can_be_done_with_a_kind_of_entries(self, place):
        place.check()
        document = statement()
        document["rest"][0]["resource"][0]["interaction"] = [{"code": "search-type"}]
        place.answer = http(200, document)
        assert place.changes() == ["What can be read or searched for there has changed."]

    def test_includes_addresses_and_the_version_it_states(self, place):
        place.check()
        server = place.endpoint.authorization_server
        server.token_url, server.issuer = "http://127.0.0.1:1/other", "https://issuer.example"
        place.says(version="1.0.2", kind="Conformance")
        assert place.changes() == [
            "It now states FHIR dstu2. It was r4.",
            f"Tokens now come from http://127.0.0.1:1/other. It was {place.server.url('/token')}.",
        ]

    def test_is_not_that_a_server_was_silent_for_a_day(self, place):
        place.check()
        place.answer = http(503)
        silent = place.check()
        assert (silent.changes, silent.types, silent.software) == ([], ["Goal", "Patient"], "Millennium 1")
        place.says("Patient", "Goal", "Device")
        assert place.changes() == ["It now offers Device."]

    def test_stays_small_however_much_changes_each_time(self, place):
        for number in range(checking.MOST_KEPT + 3):
            letter = chr(ord("A") + number)
            place.says(*(f"{letter}{'a' * (count % 60)}{chr(97 + count % 26)}" for count in range(2000)), software="x")
            made = place.check()
        assert len(made.types) == 300
        assert len(str(made.changes)) < 5000
        assert EndpointCheck.objects.count() == checking.MOST_KEPT

    def test_holds_nothing_that_a_terminal_or_a_page_obeys(self, place):
        place.check()
        place.says(software="\x1b[2J\u202e{host.__class__}<b>")
        assert place.changes() == ["Its software is now [2J{host.__class__}<b> 1. It was Millennium 1."]


class TestTheRowsOfAnEndpoint:
    def test_are_the_latest_twenty_and_one_is_the_latest(self, place, make_endpoint, make_provider):
        for _ in range(checking.MOST_KEPT + 2):
            last = place.check()
        assert EndpointCheck.objects.get(is_latest=True) == last
        assert EndpointCheck.objects.count() == checking.MOST_KEPT
        assert EndpointCheck.objects.earliest("pk").checked_at == AT + 3 * DAY


@pytest.mark.django_db(transaction=True)
class TestTwoChecksAtOnce:
    def test_leave_one_latest(self, place):
        def check(_number):
            try:
                checking.check(Endpoint.objects.get(), at=AT)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(check, range(8)))
        assert EndpointCheck.objects.count() == 8
        assert EndpointCheck.objects.get(is_latest=True) == EndpointCheck.objects.latest("pk")


class TestStaff:
    def test_are_told_once_when_an_endpoint_turns_ill(self, place, told):
        place.check()
        place.answer = http(404)
        place.check()
        place.check()
        assert told() == [f"An endpoint turned ill: endpoint {place.endpoint.pk}: no_metadata"]
        place.says()
        place.check()
        place.answer = http(404)
        place.check()
        assert len(told()) == 2

    def test_are_not_told_where_nobody_relies_on_it(self, place, told):
        ClientRegistration.objects.update(status="retired")
        place.answer = http(404)
        place.check()
        assert told() == []

    def test_are_not_told_of_what_they_switched_off(self, place, told):
        place.endpoint.is_switched_on = False
        place.answer = http(404)
        place.check()
        assert told() == []

    def test_find_nothing_switched_off(self, place):
        place.answer = http(404)
        place.check()
        assert Endpoint.objects.get().is_switched_on
        assert ClientRegistration.objects.get().is_switched_on


class TestASilence:
    def test_is_believed_the_second_time(self, place, told):
        place.answer = http(503)
        first = place.check()
        assert (first.outcome, first.faults) == ("ask", ["no_answer"])
        assert told() == []
        assert place.check().outcome == "ill"
        assert place.check().outcome == "ill"
        assert told() == [f"An endpoint turned ill: endpoint {place.endpoint.pk}: no_answer"]

    def test_that_was_a_blip_is_forgotten(self, place, told):
        place.answer = http(503)
        assert place.check().outcome == "ask"
        place.says()
        assert place.check().outcome == "well"
        place.answer = http(503)
        assert place.check().outcome == "ask"
        assert told() == []

    def test_is_looked_at_again_within_minutes(self, place):
        place.answer = http(503)
        assert checking.check_relied_on(at=AT, most=9, seconds=60) == 1
        assert checking.check_relied_on(at=AT + timedelta(minutes=1), most=9, seconds=60) == 0
        assert checking.check_relied_on(at=AT + timedelta(minutes=2), most=9, seconds=60) == 1
        assert EndpointCheck.objects.get(is_latest=True).outcome == "ill"
        assert checking.check_relied_on(at=AT + timedelta(minutes=9), most=9, seconds=60) == 0

    def test_hides_nothing_that_is_certain(self, place):
        place.answer = http(404)
        assert place.check().outcome == "ill"


class TestTheBeat:
    def test_says_nothing_to_a_host_that_waits_for_a_look(self, place):
        Endpoint.objects.update(is_switched_on=False, is_stranger=True)
        assert checking.check_relied_on(at=AT, most=9, seconds=60) == 0
        assert place.endpoint not in checking.checkable()
        assert place.server.requests == []

    def test_checks_once_a_day_what_patients_rely_on(self, place, make_endpoint, make_provider):
        make_endpoint(make_provider("Other"), host="other.example", registration=None)
        assert checking.check_relied_on(at=AT, most=9, seconds=60) == 1
        assert checking.check_relied_on(at=AT + DAY - timedelta(minutes=1), most=9, seconds=60) == 0
        assert checking.check_relied_on(at=AT + DAY, most=9, seconds=60) == 1

    def test_checks_each_quarter_of_an_hour_what_somebody_waits_for(self, place, alice):
        wishing.note(alice, place.endpoint.providers.get(), at=AT)
        checked = [
            checking.check_relied_on(at=AT + timedelta(minutes=minutes), most=9, seconds=60)
            for minutes in (0, 14, 15, 29, 30)
        ]
        assert checked == [1, 0, 1, 0, 1]

    def test_checks_once_a_day_what_somebody_waits_for_since_yesterday(self, place, alice):
        wishing.note(alice, place.endpoint.providers.get(), at=AT)
        checking.check(place.endpoint, at=AT + DAY)
        assert checking.check_relied_on(at=AT + DAY + timedelta(hours=1), most=9, seconds=60) == 0

    def test_begins_none_when_its_time_is_over(self, place):
        assert checking.check_relied_on(at=AT, most=9, seconds=-1) == 0

    def test_takes_the_longest_unchecked_first(self, place, make_endpoint, make_provider):
        never = make_endpoint(make_provider("Other"), host="other.example", fhir_base_url=place.server.url("/other"))
        checking.check(place.endpoint, at=AT - 2 * DAY)
        rows = checking._longest_unchecked(checking.due(checking._relied_on(), at=AT))
        assert list(rows) == [never, place.endpoint]

    def test_counts_a_registration_that_was_made_beside_it(self, place, make_root):
        root = make_root()
        registration = ClientRegistration.objects.get()
        registration.enablements.create(endpoint=root.endpoint, since_at=AT)
        assert root.endpoint in checking._relied_on()
        ClientRegistration.objects.update(status="retired")
        assert root.endpoint not in checking._relied_on()

    def test_leaves_practice_servers_alone_where_none_are_allowed(self, make_endpoint, make_provider, settings):
        practice = make_endpoint(make_provider("Practice", is_sandbox=True), is_sandbox=True)
        assert list(checking._relied_on()) == list(checking.checkable()) == [practice]
        settings.ALLOW_LOOPBACK_HTTP = False
        assert list(checking._relied_on()) == list(checking.checkable()) == []

    def test_is_on_the_schedule_and_ends_before_the_next(self):
        (row,) = [row for row in SCHEDULE if row.task == tasks.check_endpoints.name]
        assert row.every.total_seconds() > tasks._CHECKING_SECONDS + 60
