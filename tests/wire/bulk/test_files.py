"""Files of an export: streamed, with the token only where it belongs, and continued where an earlier attempt
stopped."""

import gzip

import pytest

from apps.wire.addresses import AddressPolicy
from apps.wire.bulk import files
from apps.wire.bulk.files import Rest
from apps.wire.bulk.manifest import FileList, ListedFile, Manifest
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import (
    AccessRefused,
    AuthorizationExpired,
    Code,
    ForeignAddress,
    NotFound,
    RequestRefused,
    Throttled,
    Unavailable,
    UnexpectedAnswer,
)
from apps.wire.fhir import FhirServer
from apps.wire.secret import Secret
from tests.wire.servers import http, serving

TOKEN = Secret("canary-token")
LINES = b'{"id": "1"}\n{"id": "2"}\n'


def fetch(answer, *, path="/r4/one/files/1", requires=True, origin=None, **options):
    """What arrived, as `(starts_at, validator, body)`, and what was asked."""
    with serving(answer) as server:
        base = FhirServer(
            server.url("/r4/one"), FhirVersion.R4, DIALECTS["smart"], AddressPolicy(allow_loopback_http=True)
        )
        url = f"{origin}{path}" if origin else server.url(path)
        listed = ListedFile(FileList.OUTPUT, "Patient", url, None)
        manifest = Manifest("2026-11-20T09:40:00Z", requires, (listed,))
        with files.opening(base, manifest, listed, access_token=TOKEN, **options) as arriving:
            body = b"".join(arriving.pieces())
        return (arriving.starts_at, arriving.validator, body), server.requests


class TestAFile:
    def test_is_asked_for_as_ndjson_with_the_token(self):
        (start, validator, body), (request,) = fetch(http(200, LINES, ETag='"v1"'))
        assert (start, validator, body) == (0, '"v1"', LINES)
        assert request.headers["accept"] == "application/fhir+ndjson"
        assert request.headers["authorization"] == "Bearer canary-token"
        assert request.headers["accept-encoding"] == "gzip"

    def test_that_needs_no_token_gets_none(self):
        _, (request,) = fetch(http(200, LINES), requires=False)
        assert "authorization" not in request.headers

    def test_that_needs_no_token_is_fetched_from_another_origin(self):
        with serving(http(200, LINES)) as storage:
            (_, _, body), asked = fetch(http(500), requires=False, origin=storage.url())
        (request,) = storage.requests
        assert (body, asked) == (LINES, [])
        assert "authorization" not in request.headers

    @pytest.mark.conformance("C56")
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_is_followed_to_another_origin_without_the_token(self, status):
        with serving(http(200, LINES)) as storage:
            (_, _, body), (asked,) = fetch(http(status, Location=storage.url("/x?signature=abc")))
        assert body == LINES
        assert "authorization" in asked.headers
        assert storage.requests[0].target == "/x?signature=abc"
        assert "authorization" not in storage.requests[0].headers

    def test_that_wants_the_token_at_another_origin_is_not_asked_for(self):
        with serving(http(200, LINES)) as storage, pytest.raises(ForeignAddress):
            fetch(http(200, LINES), origin=storage.url())
        assert not storage.requests

    def test_arrives_squeezed_and_is_not_to_be_taken_up(self):
        squeezed = http(200, gzip.compress(LINES), Content_Encoding="gzip", ETag='"v1"')
        (_, validator, body), _ = fetch(squeezed)
        assert (validator, body) == ("", LINES)

    @pytest.mark.parametrize(
        "headers", [{}, {"ETag": 'W/"v1"'}, {"ETag": "v1"}, {"ETag": '"v1"', "Accept_Ranges": "none"}]
    )
    def test_without_a_firm_version_is_not_to_be_taken_up(self, headers):
        (_, validator, _), _ = fetch(http(200, LINES, **headers))
        assert validator == ""

    def test_can_be_asked_for_plain(self):
        _, (request,) = fetch(http(200, LINES), is_plain=True)
        assert request.headers["accept-encoding"] == "identity"

    @pytest.mark.parametrize(
        ("status", "error"),
        [(401, AuthorizationExpired), (403, AccessRefused), (404, NotFound), (410, NotFound), (429, Throttled),
         (500, Unavailable), (204, UnexpectedAnswer), (206, UnexpectedAnswer), (416, RequestRefused)],
    )  # fmt: skip
    def test_that_is_refused_says_who_can_do_something(self, status, error):
        with pytest.raises(error):
            fetch(http(status, b"canary-body"))

    def test_that_ends_before_its_announced_length_is_broken_off(self):
        whole = http(200, LINES)

        def breaks_off(_request):
            yield whole[:-5]
            raise OSError

        with pytest.raises(Unavailable):
            fetch(breaks_off)

    def test_that_stalls_is_broken_off(self, monkeypatch):
        import time

        def stalls(_request):
            yield http(200, LINES * 30_000)[:-5]
            time.sleep(2)

        monkeypatch.setattr(files, "_STALLED_SECONDS", 0.3)
        with pytest.raises(Unavailable) as broken:
            fetch(stalls)
        assert broken.value.code is Code.TIMED_OUT


class TestTheRestOfAFile:
    REST = Rest(received_bytes=12, validator='"v1"')

    def test_is_all_that_is_asked_for(self):
        part = http(206, LINES[12:], Content_Range="bytes 12-23/24", ETag='"v1"')
        (start, validator, body), (request,) = fetch(part, rest=self.REST)
        assert (start, validator, body) == (12, '"v1"', LINES[12:])
        assert request.headers["range"] == "bytes=12-"
        assert request.headers["if-range"] == '"v1"'
        assert request.headers["accept-encoding"] == "identity"

    def test_is_asked_for_where_the_redirect_leads(self):
        part = http(206, LINES[12:], Content_Range="bytes 12-23/24")
        with serving(part) as storage:
            (_, _, body), _ = fetch(http(307, Location=storage.url("/x")), rest=self.REST)
        assert body == LINES[12:]
        assert storage.requests[0].headers["range"] == "bytes=12-"

    def test_is_the_whole_file_again_where_that_changed_or_parts_are_not_to_be_had(self):
        (start, validator, body), _ = fetch(http(200, LINES, ETag='"v2"'), rest=self.REST)
        assert (start, validator, body) == (0, '"v2"', LINES)

    def test_is_nothing_where_all_of_it_is_here(self):
        all_here = Rest(received_bytes=24, validator='"v1"')
        (start, _, body), _ = fetch(http(416, b"", Content_Range="bytes */24"), rest=all_here)
        assert (start, body) == (24, b"")

    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Content_Range": "bytes 11-23/24"},
            {"Content_Range": "bytes 0-23/24"},
            {"Content_Range": "lines 12-23/24"},
            {"Content_Range": "bytes 12-23/36"},  # not all of it, though its last line is whole
            {"Content_Range": "bytes 12-23/24", "ETag": '"v2"'},
            {"Content_Range": "bytes 12-23/24", "Content_Encoding": "gzip"},
        ],
    )
    def test_that_does_not_fit_is_refused(self, headers):
        with pytest.raises(UnexpectedAnswer):
            fetch(http(206, LINES[12:], **headers), rest=self.REST)
