"""Starting, awaiting and deleting an export, against a server that answers what it is told to."""

import json
import logging

import pytest

from apps.wire.addresses import AddressPolicy
from apps.wire.bulk import export_jobs
from apps.wire.bulk.export_jobs import ExportFailed, InProgress
from apps.wire.bulk.manifest import Manifest, read_manifest
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import (
    AccessRefused,
    AuthorizationExpired,
    Code,
    EndpointMisconfigured,
    NotFound,
    RequestRefused,
    Throttled,
    Unavailable,
    UnexpectedAnswer,
    UnsafeAddress,
)
from apps.wire.fhir import FhirServer
from apps.wire.secret import Secret
from tests.wire.servers import http, serving

TOKEN = Secret("canary-token")
LISTED = {"transactionTime": "2026-11-20T09:40:00Z", "requiresAccessToken": True, "output": [], "error": []}


def at(server, path="/r4/one", host="127.0.0.1"):
    return FhirServer(
        server.url(path, host), FhirVersion.R4, DIALECTS["smart"], AddressPolicy(allow_loopback_http=True)
    )


def at_base(url):
    return FhirServer(url, FhirVersion.R4, DIALECTS["smart"], AddressPolicy())


def outcome(*codes):
    issues = [{"severity": "error", "code": code, "diagnostics": "canary-diagnostics"} for code in codes]
    return {"resourceType": "OperationOutcome", "issue": issues}


class TestAKickOff:
    def test_is_the_request_of_the_guide_to_the_letter(self):
        with serving(http(202, Content_Location="/r4/one/jobs/7")) as server:
            url = export_jobs.kick_off(at(server), access_token=TOKEN, group_id="g-1")
            assert url == server.url("/r4/one/jobs/7")
        (request,) = server.requests
        assert (request.method, request.target) == ("GET", "/r4/one/Group/g-1/$export")
        assert request.headers["accept"] == "application/fhir+json"
        assert request.headers["prefer"] == "respond-async"
        assert request.headers["authorization"] == "Bearer canary-token"

    def test_names_types_and_since_when_where_they_are_asked_for(self):
        with serving(http(202, Content_Location="/r4/one/jobs/7")) as server:
            export_jobs.kick_off(
                at(server),
                access_token=TOKEN,
                group_id="g",
                types=["Patient", "Goal"],
                since="2026-01-02T03:04:05+01:00",
            )
        assert server.requests[0].query == [("_type", "Patient,Goal"), ("_since", "2026-01-02T03:04:05+01:00")]

    @pytest.mark.parametrize(
        "asked",
        [{"group_id": "a/b"}, {"group_id": ""}, {"types": ["Patient,Goal"]}, {"since": "2026-01-02"}, {"since": "now"}],
    )
    def test_of_what_can_not_be_is_not_sent(self, asked):
        with serving(http(202)) as server, pytest.raises(RequestRefused):
            export_jobs.kick_off(at(server), access_token=TOKEN, **{"group_id": "g", **asked})
        assert not server.requests

    @pytest.mark.conformance("C56")
    @pytest.mark.parametrize(
        "location",
        ["http://10.0.0.8/jobs/7", "https://169.254.169.254/", "file:///etc/passwd", "//u@127.0.0.1/x", "//[/x"],
    )
    def test_answered_with_a_status_address_elsewhere_is_refused(self, location):
        """Where nobody should go; what was accepted is not called refused by the provider."""
        with serving(http(202, Content_Location=location)) as server, pytest.raises(UnsafeAddress) as refused:
            export_jobs.kick_off(at(server), access_token=TOKEN, group_id="g")
        assert refused.value.status is None

    @pytest.mark.parametrize("location", ["http://localhost:{port}/jobs/7", "http://127.0.0.1:{port}/r4/BulkRequest/7"])
    def test_takes_any_absolute_address_for_the_status_s(self, location):
        def answer(_request):
            yield http(202, Content_Location=location.format(port=server.port))

        with serving(answer) as server:
            url = export_jobs.kick_off(at(server), access_token=TOKEN, group_id="g")
        assert url == location.format(port=server.port)

    @pytest.mark.parametrize(
        ("status", "error"),
        [
            (200, UnexpectedAnswer),
            (202, UnexpectedAnswer),
            (307, EndpointMisconfigured),
            (400, RequestRefused),
            (401, AuthorizationExpired),
            (403, AccessRefused),
            (404, NotFound),
            (406, RequestRefused),
            (422, RequestRefused),
            (429, Throttled),
            (503, Unavailable),
        ],
    )
    def test_that_is_refused_says_who_can_do_something(self, status, error):
        answer = http(status, outcome("invalid"), Location="/elsewhere" if status == 307 else "")
        with serving(answer) as server, pytest.raises(error) as refused:
            export_jobs.kick_off(at(server), access_token=TOKEN, group_id="g")
        assert refused.value.status == status
        assert len(server.requests) == 1


class TestTheStatus:
    def ask(self, answer):
        with serving(answer) as server:
            return export_jobs.status(at(server), server.url("/r4/one/jobs/7"), access_token=TOKEN), server.requests

    def test_of_one_that_runs_is_what_the_provider_says_and_when_to_ask_again(self):
        found, _ = self.ask(http(202, X_Progress="40% done", Retry_After="120"))
        assert found == InProgress("40% done", 120)

    def test_that_says_nothing_leaves_the_pace_to_us(self):
        found, _ = self.ask(http(202))
        assert found == InProgress("", None)

    def test_cannot_write_to_a_terminal_what_the_provider_likes(self):
        found, _ = self.ask(http(202, X_Progress="\x1b[2Jgone\x07" + "x" * 500))
        assert isinstance(found, InProgress)
        assert "\x1b" not in found.said
        assert "\x07" not in found.said
        assert len(found.said) <= 100

    def test_of_one_that_is_done_is_its_list(self):
        found, requests = self.ask(http(200, LISTED))
        assert found == Manifest("2026-11-20T09:40:00Z", True, ())
        assert requests[0].headers["authorization"] == "Bearer canary-token"

    @pytest.mark.parametrize("code", ["transient", "throttled", "timeout"])
    def test_of_a_passing_failure_says_later(self, code):
        with pytest.raises(Unavailable):
            self.ask(http(500, outcome(code), Retry_After=""))

    @pytest.mark.parametrize("body", [outcome("exception"), outcome(), outcome("processing", "security")])
    def test_of_an_export_that_failed_says_that_it_did(self, body):
        with pytest.raises(ExportFailed) as failed:
            self.ask(http(500, body))
        assert "canary" not in f"{failed.value} {failed.value!r}"

    @pytest.mark.parametrize("body", [b"Internal error", b"<html>", b"[]", b"[" * 50_000])
    @pytest.mark.parametrize("status", [500, 502, 503, 504])
    def test_of_a_server_that_is_not_well_says_later(self, status, body):
        with pytest.raises(Unavailable) as waiting:
            self.ask(http(status, body, Retry_After="7"))
        assert not isinstance(waiting.value, ExportFailed)
        assert waiting.value.retry_after_seconds == 7

    def test_of_one_that_nobody_knows_is_not_found(self):
        with pytest.raises(NotFound):
            self.ask(http(404))

    def test_is_asked_at_another_origin_without_the_token(self):
        with serving(http(200, LISTED)) as elsewhere, serving(http(202)) as server:
            found = export_jobs.status(at(server), elsewhere.url("/r4/one/jobs/7"), access_token=TOKEN)
        assert isinstance(found, Manifest)
        assert "authorization" not in elsewhere.requests[0].headers

    def test_is_asked_beside_the_base_with_the_token(self):
        with serving(http(202)) as server:
            export_jobs.status(at(server), server.url("/r4/BulkRequest/7"), access_token=TOKEN)
        assert server.requests[0].headers["authorization"] == "Bearer canary-token"

    @pytest.mark.conformance("C56")
    def test_that_is_moved_to_another_origin_is_asked_there_without_the_token(self):
        with serving(http(200, LISTED)) as elsewhere:
            found, requests = self.ask(http(307, Location=elsewhere.url("/lists/7")))
        assert isinstance(found, Manifest)
        assert "authorization" in requests[0].headers
        assert "authorization" not in elsewhere.requests[0].headers

    def test_that_is_moved_below_the_same_base_keeps_the_token(self):
        def answer(request):
            yield http(200, LISTED) if request.path.endswith("8") else http(303, Location="8")

        _, requests = self.ask(answer)
        assert [request.path for request in requests] == ["/r4/one/jobs/7", "/r4/one/jobs/8"]
        assert all(request.headers["authorization"] == "Bearer canary-token" for request in requests)

    def test_does_not_give_the_token_back_to_one_that_sends_us_around(self):
        def around(_request):
            yield http(307, Location=server.url("/r4/one/jobs/8"))

        def answer(request):
            yield http(200, LISTED) if request.path.endswith("8") else http(307, Location=elsewhere.url("/x"))

        with serving(around) as elsewhere, serving(answer) as server:
            export_jobs.status(at(server), server.url("/r4/one/jobs/7"), access_token=TOKEN)
        assert ["authorization" in request.headers for request in server.requests] == [True, False]

    @pytest.mark.conformance("C68")
    @pytest.mark.parametrize(
        "location",
        ["http://10.0.0.8/x", "https://127.0.0.1/x", "https://169.254.169.254/", "file:///etc/passwd", "//[/"],
    )
    def test_that_is_moved_where_nobody_should_go_is_refused(self, location):
        with pytest.raises((UnsafeAddress, EndpointMisconfigured)):
            self.ask(http(307, Location=location))

    def test_that_is_moved_without_end_is_given_up(self):
        with pytest.raises(EndpointMisconfigured) as refused:
            self.ask(http(307, Location="/r4/one/jobs/7"))
        assert refused.value.code is Code.REDIRECTED

    def test_leaves_neither_token_nor_answer_in_the_log(self, caplog):
        caplog.set_level(logging.DEBUG)
        with pytest.raises(ExportFailed):
            self.ask(http(500, outcome("exception")))
        assert "canary" not in caplog.text

    def test_at_a_signed_address_leaves_nothing_of_it_in_the_log_or_the_error(self, caplog):
        caplog.set_level(logging.DEBUG)
        with serving(http(200, {**LISTED, "output": 7})) as elsewhere, serving(http(202)) as server:
            signed = elsewhere.url("/lists/7?signature=canary-signature")
            with pytest.raises(UnexpectedAnswer) as refused:
                export_jobs.status(at(server), signed, access_token=TOKEN)
        assert elsewhere.requests[0].target.endswith("canary-signature")
        assert "canary" not in f"{caplog.text} {refused.value} {refused.value!r} {refused.value.__context__!r}"

    def test_of_several_pages_shows_no_address_of_the_next(self):
        link = [{"relation": "next", "url": "https://storage.example.net/2?signature=canary"}]
        page = read_manifest(json.dumps({**LISTED, "link": link}).encode(), at_base("https://fhir.example.org/r4"))
        assert "canary" in page.next_url
        assert "canary" not in repr(page)

    def test_sends_no_token_that_could_be_more_than_one_header_and_does_not_quote_it(self):
        with serving(http(202)) as server, pytest.raises(RequestRefused) as refused:
            export_jobs.status(at(server), server.url("/r4/one/jobs/7"), access_token=Secret("canary\r\nX-Other: 1"))
        assert not server.requests
        assert "canary" not in f"{refused.value} {refused.value!r}"
        assert refused.value.__context__ is refused.value.__cause__ is None


class TestAListOfSeveralPages:
    def look(self, pages):
        """Asks for a list whose pages are at these paths: name of the file, and the path of the next page."""

        def answer(request):
            name, following = pages[request.path.rpartition("/")[2]]
            files = [{"type": "Patient", "url": server.url(f"/r4/one/files/{name}")}]
            link = [{"relation": "next", "url": following if "://" in following else server.url(following)}]
            wrong = [{"type": "OperationOutcome", "url": server.url("/r4/one/files/wrong")}]
            yield http(200, {**LISTED, "output": files, "error": wrong, **({"link": link} if following else {})})

        with serving(answer) as server:
            return export_jobs.status(at(server), server.url("/r4/one/jobs/1"), access_token=TOKEN), server.requests

    def test_is_followed_to_its_end(self):
        found, requests = self.look({"1": ("a", "/r4/one/jobs/2"), "2": ("b", "/r4/one/jobs/3"), "3": ("c", "")})
        assert isinstance(found, Manifest)
        assert sorted(file.url.rpartition("/")[2] for file in found.files) == ["a", "b", "c", "wrong"]
        assert found.next_url == ""
        assert all(request.headers["authorization"] == "Bearer canary-token" for request in requests)

    def test_goes_on_at_another_origin_without_the_token(self):
        page = http(200, {**LISTED, "link": []})
        with serving(page) as elsewhere:
            found, _ = self.look({"1": ("a", elsewhere.url("/lists/2"))})
        assert isinstance(found, Manifest)
        assert len(found.files) == 2
        assert "authorization" not in elsewhere.requests[0].headers

    @pytest.mark.parametrize("following", ["/r4/one/jobs/1", "/r4/one/jobs/2"])
    def test_that_goes_round_is_given_up(self, following):
        with pytest.raises(UnexpectedAnswer) as refused:
            self.look({"1": ("a", "/r4/one/jobs/2"), "2": ("b", following)})
        assert refused.value.code is Code.TOO_LARGE

    def test_that_never_ends_is_given_up(self, monkeypatch):
        monkeypatch.setattr(export_jobs, "MOST_PAGES", 3)
        pages = {str(number): (f"f{number}", f"/r4/one/jobs/{number + 1}") for number in range(1, 9)}
        with pytest.raises(UnexpectedAnswer) as refused:
            self.look(pages)
        assert refused.value.code is Code.TOO_LARGE

    def test_is_not_done_before_its_last_page_is(self):
        with serving(http(202, X_Progress="60% done")) as later:
            found, _ = self.look({"1": ("a", later.url("/lists/2"))})
        assert found == InProgress("60% done", None)


class TestDeleting:
    @pytest.mark.parametrize("status", [200, 202, 204, 404])
    def test_is_done_once_the_provider_lets_go(self, status):
        with serving(http(status)) as server:
            export_jobs.delete(at(server), server.url("/r4/one/jobs/7"), access_token=TOKEN)
        (request,) = server.requests
        assert (request.method, request.path) == ("DELETE", "/r4/one/jobs/7")
        assert request.headers["authorization"] == "Bearer canary-token"

    @pytest.mark.parametrize(
        ("status", "error"), [(401, AuthorizationExpired), (503, Unavailable), (307, EndpointMisconfigured)]
    )
    def test_says_where_the_provider_does_not(self, status, error):
        with serving(http(status, Location="/x" if status == 307 else "")) as server, pytest.raises(error):
            export_jobs.delete(at(server), server.url("/r4/one/jobs/7"), access_token=TOKEN)
