"""Requests to a FHIR server, with literal answers from a recording one."""

import json
import time

import pytest

from apps.wire import fhir
from apps.wire.addresses import AddressPolicy
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import (
    AccessRefused,
    AuthorizationExpired,
    Code,
    EndpointMisconfigured,
    ForeignAddress,
    NotFound,
    RequestRefused,
    Throttled,
    Unavailable,
    UnexpectedAnswer,
    UnsafeAddress,
)
from apps.wire.secret import Secret
from tests.wire.servers import http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)
TOKEN = Secret("an-access-token")
ALICE = {"resourceType": "Patient", "id": "alice"}
BOB = {"resourceType": "Patient", "id": "bob"}
OUTCOME = {"resourceType": "OperationOutcome", "issue": [{"severity": "warning", "diagnostics": "no code"}]}


def remark(severity, code):
    return {"resourceType": "OperationOutcome", "issue": [{"severity": severity, "code": code}]}


def home(server, base="/fhir/r4", *, version=FhirVersion.R4, dialect="patient-access"):
    return fhir.FhirServer(server.url(base), version, DIALECTS[dialect], LOOPBACK)


def bundle(*resources, **members):
    entries = [{"resource": resource} for resource in resources]
    return http(200, {"resourceType": "Bundle", "type": "searchset", "entry": entries, **members})


def found(answer):
    with serving(answer) as server:
        return [patient.logical_id for patient in fhir.find_patients(home(server), access_token=TOKEN)]


def every_data_call(where):
    return [
        lambda: fhir.find_patients(where, access_token=TOKEN),
        lambda: fhir.read(where, access_token=TOKEN, resource_type="Patient", logical_id="alice"),
        lambda: fhir.search(where, access_token=TOKEN, resource_type="Goal", patient_id="alice"),
        lambda: fhir.follow(where, access_token=TOKEN, next_url=where.base_url + "/Goal?page=2"),
    ]


class TestFindingPatients:
    def test_finds_several_people_to_choose_from(self):
        assert found(
            bundle(ALICE, remark("error", "processing"), BOB, {"resourceType": "Practitioner", "id": "dr"})
        ) == ["alice", "bob"]

    def test_finds_nobody_in_an_empty_bundle(self):
        assert found(bundle()) == []
        assert found(bundle(remark("warning", "processing"))) == []

    @pytest.mark.parametrize("code", ["timeout", "throttled", "transient", "exception"])
    def test_does_not_take_a_server_that_cannot_look_now_for_one_that_knows_nobody(self, code):
        outcome = remark("error", code)
        for answer in (bundle(outcome), http(200, outcome)):
            with pytest.raises(Unavailable) as waiting:
                found(answer)
            assert waiting.value.status == 200

    def test_does_not_take_a_person_nobody_can_read_for_nobody(self):
        with pytest.raises(UnexpectedAnswer):
            found(bundle({"resourceType": "Patient"}))
        assert found(bundle({"resourceType": "Patient"}, ALICE)) == ["alice"]

    def test_finds_a_person_once(self):
        assert found(bundle(ALICE, ALICE)) == ["alice"]

    def test_looks_at_every_page_of_people(self):
        def answer(request):
            more = [{"relation": "next", "url": f"http://{request.headers['host']}/fhir/R4/Patient?page=2"}]
            yield bundle(BOB) if "page=2" in request.target else bundle(ALICE, link=more)

        assert found(answer) == ["alice", "bob"]

    def test_takes_none_where_nobody_can_read_the_way_to_the_others(self):
        with pytest.raises(UnexpectedAnswer) as refusal:
            found(bundle(ALICE, link=[{"relation": "next"}]))
        assert refusal.value.code is Code.UNREADABLE

    @pytest.mark.parametrize("link", ["Patient", {"self": "Patient"}, [7]])
    def test_finds_one_beside_links_that_are_none(self, link):
        assert found(bundle(ALICE, link=link)) == ["alice"]

    def test_gives_up_on_pages_without_end(self):
        def answer(request):
            yield bundle(
                ALICE, link=[{"relation": "next", "url": f"http://{request.headers['host']}/fhir/r4/Patient?p=1"}]
            )

        with serving(answer) as server:
            fhir.find_patients(home(server), access_token=TOKEN)
        assert len(server.requests) == 5

    def test_gives_up_on_pages_that_are_slow_together(self, monkeypatch):
        monkeypatch.setattr(fhir, "_PEOPLE_SECONDS", 0.2)

        def answer(request):
            time.sleep(0.15)
            more = [{"relation": "next", "url": f"http://{request.headers['host']}/fhir/r4/Patient?p=1"}]
            yield bundle(ALICE, link=more)

        with serving(answer) as server, pytest.raises(Unavailable):
            fhir.find_patients(home(server), access_token=TOKEN)
        assert len(server.requests) == 2

    def test_takes_no_crowd_for_people_to_choose_from(self):
        crowd = [{"resourceType": "Patient", "id": f"p{number}"} for number in range(51)]
        assert len(found(bundle(*crowd[:50]))) == 50
        with pytest.raises(UnexpectedAnswer) as refusal:
            found(bundle(*crowd))
        assert refusal.value.code is Code.TOO_LARGE

    def test_follows_no_page_of_people_elsewhere(self):
        with serving(bundle(BOB)) as elsewhere:
            more = [{"relation": "next", "url": elsewhere.url("/fhir/r4/Patient?page=2")}]
            with pytest.raises(ForeignAddress):
                found(bundle(ALICE, link=more))
        assert not elsewhere.requests

    @pytest.mark.parametrize(
        ("named", "written_in"),
        [("iso-8859-1", "cp1252"), ('"Windows-1252"', "cp1252"), ("utf-16", "utf-16"), ("utf-8", "utf-8"),
         ("iso-8859-1", "utf-8"), ("x-odd", "utf-8"), ("x-odd", "utf-16"), ("utf-8", "utf-16")],
    )  # fmt: skip
    def test_is_read_in_the_characters_it_is_said_to_be_in_or_begins_with_or_in_utf_8(self, named, written_in):
        text = '{"resourceType":"Patient","id":"alice","x":"Jos\u00e9 \u20ac"}'
        answer = http(body=text.encode(written_in), content_type=f"application/json; charset={named}")
        with serving(answer) as server:
            patient = fhir.read(home(server), access_token=TOKEN, resource_type="Patient", logical_id="alice")
        assert patient.body.decode() == text

    def test_keeps_the_person_as_received(self):
        body = b'\xef\xbb\xbf{ "id":"alice",\n"resourceType":"Patient", "multipleBirthInteger": 1.0 }\n'
        with serving(http(200, body)) as server:
            (patient,) = fhir.find_patients(home(server), access_token=TOKEN)
        assert patient.body == body.removeprefix(b"\xef\xbb\xbf")

    @pytest.mark.parametrize("body", [{"resourceType": "Person", "id": "1"}, OUTCOME, {"resourceType": "Patient"}])
    def test_refuses_what_is_no_person(self, body):
        with pytest.raises(UnexpectedAnswer):
            found(http(200, body))


class TestReading:
    @pytest.mark.parametrize("sent", [lambda goal: http(200, goal), lambda goal: bundle(ALICE, goal)])
    def test_gives_the_resource_asked_for(self, sent):
        with serving(sent({"resourceType": "Goal", "id": "a-1.b"})) as server:
            goal = fhir.read(home(server), access_token=TOKEN, resource_type="Goal", logical_id="a-1.b")
        assert (goal.resource_type, goal.logical_id) == ("Goal", "a-1.b")
        assert server.requests[0].target == "/fhir/r4/Goal/a-1.b"

    @pytest.mark.parametrize(
        "body", [BOB, {"resourceType": "Person", "id": "alice"}, OUTCOME, {"resourceType": "Bundle"}]
    )
    def test_refuses_any_other(self, body):
        with serving(http(200, body)) as server, pytest.raises(UnexpectedAnswer) as refused:
            fhir.read(home(server), access_token=TOKEN, resource_type="Patient", logical_id="alice")
        assert refused.value.code is Code.WRONG_RESOURCE

    @pytest.mark.parametrize(
        "logical_id", ["", "..", "a/b", "../metadata", "a?b", "a#b", "a%2fb", "a b", "a\n", "x" * 257]
    )
    def test_never_sends_an_id_that_would_break_the_path(self, logical_id):
        with serving(http(200, ALICE)) as server, pytest.raises((RequestRefused, UnsafeAddress)):
            fhir.read(home(server), access_token=TOKEN, resource_type="Patient", logical_id=logical_id)
        assert not server.requests

    def test_encodes_an_id_that_is_not_ascii(self):
        with serving(http(200, {"resourceType": "Goal", "id": "d\u00e9j\u00e0+&="})) as server:
            fhir.read(home(server), access_token=TOKEN, resource_type="Goal", logical_id="d\u00e9j\u00e0+&=")
        assert server.requests[0].target == "/fhir/r4/Goal/d%C3%A9j%C3%A0%2B%26%3D"


class TestSearching:
    def test_sends_the_parameters_in_order_and_encoded(self):
        with serving(bundle()) as server:
            fhir.search(
                home(server),
                access_token=TOKEN,
                resource_type="Observation",
                patient_id="al.ice-1",
                parameters=[
                    ("category", "http://x.example/y|laboratory"),
                    ("date", "ge2020-01-01"),
                    ("date", "le2021&x=1"),
                ],
            )
        assert server.requests[0].query == [
            ("patient", "al.ice-1"),
            ("category", "http://x.example/y|laboratory"),
            ("date", "ge2020-01-01"),
            ("date", "le2021&x=1"),
        ]

    @pytest.mark.parametrize("resource_type", ["Practitioner", "Location", "Patient", "Unheard", "../Goal", ""])
    def test_asks_for_no_type_whose_route_takes_no_patient(self, resource_type):
        with serving(bundle()) as server, pytest.raises(RequestRefused):
            fhir.search(home(server), access_token=TOKEN, resource_type=resource_type, patient_id="alice")
        assert not server.requests

    def test_asks_for_a_type_we_do_not_know_where_its_server_declares_the_patient_parameter(self):
        with serving(bundle()) as server:
            where = home(server)
            fhir.search(where, access_token=TOKEN, resource_type="Appointment", patient_id="alice", is_declared=True)
            for name in ("Practitioner", "../Goal", ""):
                with pytest.raises(RequestRefused):
                    fhir.search(where, access_token=TOKEN, resource_type=name, patient_id="alice", is_declared=True)
        assert [request.target for request in server.requests] == ["/fhir/r4/Appointment?patient=alice"]

    def test_tells_a_missing_category_from_no_data(self):
        with serving(http(404, OUTCOME)) as server, pytest.raises(NotFound) as refused:
            fhir.search(home(server), access_token=TOKEN, resource_type="CarePlan", patient_id="alice")
        assert refused.value.status in DIALECTS["patient-access"].fallback_statuses

    def test_lets_a_page_be_large(self):
        note = {"resourceType": "DocumentReference", "id": "1", "text": "x" * 6_000_000}
        with serving(bundle(note)) as server:
            page = fhir.search(home(server), access_token=TOKEN, resource_type="DocumentReference", patient_id="alice")
        assert len(page.resources[0].body) > 6_000_000


class TestFollowing:
    @pytest.mark.parametrize("base", ["/fhir/r4", "/fhir/r4/", "/FHIR/R4/"])
    @pytest.mark.parametrize("link", ["/fhir/R4/Goal?page=2", "/fhir/r4?_getpages=x%2Fy&n=1", "/FHIR/r4/a/b?c=/../"])
    def test_sends_the_link_as_it_stands(self, base, link):
        with serving(bundle(ALICE)) as server:
            fhir.follow(home(server, base), access_token=TOKEN, next_url=server.url(link))
        assert server.requests[0].target == link

    @pytest.mark.parametrize(
        "link",
        [
            "{origin}/fhir/r4x/Goal?page=2",
            "{origin}/fhir/Goal",
            "{origin}/",
            "{origin}/fhir/r4/../../admin",
            "{origin}/fhir/r4/%2e%2e/admin",
            "{origin}/fhir/r4%2fGoal",
            "{origin}/other/fhir/r4/Goal",
            "http://localhost:{port}/fhir/r4/Goal",
            "http://127.0.0.2:{port}/fhir/r4/Goal",
            "http://127.0.0.1:1/fhir/r4/Goal",
            "http://127.0.0.1/fhir/r4/Goal",
            "https://127.0.0.1:{port}/fhir/r4/Goal",
            "http://127.0.0.1:{port}@evil.example/fhir/r4/Goal",
            "https://evil.example/fhir/r4/Goal",
            "//evil.example/fhir/r4/Goal",
            "/fhir/r4/Goal",
            "",
        ],
    )
    def test_refuses_a_link_that_leads_away_before_sending_anything(self, link):
        with serving(bundle()) as server, pytest.raises(ForeignAddress):
            fhir.follow(home(server), access_token=TOKEN, next_url=link.format(origin=server.url(), port=server.port))
        assert not server.requests


class TestEveryDataCall:
    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            (400, RequestRefused),
            (401, AuthorizationExpired),
            (403, AccessRefused),
            (404, NotFound),
            (405, RequestRefused),
            (406, RequestRefused),
            (408, Unavailable),
            (410, NotFound),
            (415, RequestRefused),
            (422, RequestRefused),
            (429, Throttled),
            (500, Unavailable),
            (502, Unavailable),
            (503, Unavailable),
            (504, Unavailable),
            (302, EndpointMisconfigured),
            (202, UnexpectedAnswer),
            (204, UnexpectedAnswer),
        ],
    )
    def test_names_a_failure_by_who_must_act(self, status, kind):
        with serving(http(status, OUTCOME if status >= 300 else b"")) as server:
            for call in every_data_call(home(server)):
                with pytest.raises(kind) as refused:
                    call()
                assert (type(refused.value), refused.value.status) == (kind, status)

    @pytest.mark.parametrize(
        ("challenge", "code"),
        [
            ('Bearer realm="x", error="invalid_token", error_description="canary"', Code.INVALID_TOKEN),
            ("Bearer error=insufficient_scope", Code.INSUFFICIENT_SCOPE),
            ("Bearer", Code.UNRECOGNIZED),
            ('Bearer error="canary"', Code.UNRECOGNIZED),
            ("", Code.UNRECOGNIZED),
        ],
    )
    def test_reads_the_reason_of_a_challenge(self, challenge, code):
        with serving(http(401, b"", WWW_Authenticate=challenge)) as server:
            for call in every_data_call(home(server)):
                with pytest.raises(AuthorizationExpired) as refused:
                    call()
                assert refused.value.code is code

    @pytest.mark.parametrize(
        ("written", "seconds"),
        [
            ("120", 120),
            ("0", 0),
            ("99999999", 86_400),
            ("Fri, 20 Nov 2026 10:01:30 GMT", 90),
            ("Friday, 20-Nov-26 10:01:30 GMT", 90),
            ("Fri, 20 Nov 2026 09:00:00 GMT", 0),
            ("Fri, 20 Nov 2099 10:00:00 GMT", 86_400),
            ("soon", None),
            ("-5", None),
            ("1.5", None),
            ("", None),
        ],
    )
    @pytest.mark.parametrize("status", [429, 503])
    def test_says_when_to_come_back(self, status, written, seconds):
        answer = http(status, b"", Retry_After=written, Date="Fri, 20 Nov 2026 10:00:00 GMT")
        with serving(answer) as server, pytest.raises(Unavailable) as refused:
            fhir.find_patients(home(server), access_token=TOKEN)
        assert refused.value.retry_after_seconds == seconds

    @pytest.mark.parametrize("version", FhirVersion)
    @pytest.mark.parametrize("dialect", DIALECTS)
    def test_asks_for_the_media_type_of_its_dialect(self, version, dialect):
        with serving(http(403)) as server:
            for call in every_data_call(home(server, version=version, dialect=dialect)):
                with pytest.raises(AccessRefused):
                    call()
        expected = DIALECTS[dialect].accept[version]
        assert [request.headers["accept"] for request in server.requests] == [expected] * 4

    def test_shares_one_connection(self):
        with serving(bundle()) as server:
            where = home(server)
            for _ in range(3):
                fhir.search(where, access_token=TOKEN, resource_type="Goal", patient_id="alice")
        assert server.connections == 1


class TestACapability:
    STATEMENT = {
        "resourceType": "CapabilityStatement",
        "fhirVersion": "4.0.1",
        "rest": [{"mode": "server", "resource": [{"type": "Goal"}]}],
    }

    def test_is_read(self):
        with serving(http(200, self.STATEMENT)) as server:
            assert set(fhir.capability(home(server)).types) == {"Goal"}

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 406, 410, 204])
    def test_is_absent_where_the_server_refuses(self, status):
        with serving(http(status)) as server, pytest.raises(EndpointMisconfigured) as refused:
            fhir.capability(home(server))
        assert (refused.value.code, refused.value.status) == (Code.NO_METADATA, status)

    @pytest.mark.parametrize(
        "body", [b"<html>Welcome</html>", b"", b"[]", b"null", b'{"resourceType":"Patient"}', b"{"]
    )
    def test_is_absent_where_the_answer_is_something_else(self, body):
        with serving(http(200, body)) as server, pytest.raises(EndpointMisconfigured) as refused:
            fhir.capability(home(server))
        assert refused.value.code is Code.NO_METADATA

    def test_is_unknown_where_the_server_is_ill(self):
        with serving(http(503, json.dumps(self.STATEMENT))) as server, pytest.raises(Unavailable):
            fhir.capability(home(server))


class TestAFhirServer:
    def test_has_no_query_in_its_base_url(self):
        with serving(http(200, ALICE)) as server, pytest.raises(UnsafeAddress):
            fhir.capability(home(server, "/fhir/r4?x=1"))
        assert not server.requests
