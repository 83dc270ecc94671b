"""The manifest of an export, and what in it is refused before any file is requested."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.wire.addresses import AddressPolicy
from apps.wire.bulk import manifest
from apps.wire.bulk.manifest import FileList, Manifest, joined, read_manifest
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import Code, ForeignAddress, UnexpectedAnswer, UnsafeAddress, WireError
from apps.wire.fhir import FhirServer

BASE = "https://fhir.example.org/r4/one"
SERVER = FhirServer(BASE, FhirVersion.R4, DIALECTS["smart"], AddressPolicy())
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = ("transactionTime", "request", "requiresAccessToken", "output", "error", "deleted", "link")
ODD_FILES = st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(("type", "url", "count"), ANY_JSON)), max_size=3)


def listing(**members):
    return {
        "transactionTime": "2026-11-20T09:40:00.000Z",
        "request": f"{BASE}/Group/g/$export",
        "requiresAccessToken": True,
        "output": [{"type": "Patient", "url": f"{BASE}/files/1", "count": 3}],
        "error": [],
        **members,
    }


def read(**members) -> Manifest:
    return read_manifest(json.dumps(listing(**members)).encode(), SERVER)


class TestAManifest:
    def test_names_each_file_with_its_type_and_how_many_lines_it_has(self):
        found = read(
            output=[{"type": "Patient", "url": f"{BASE}/1", "count": 3}, {"type": "Goal", "url": f"{BASE}/2"}],
            error=[{"type": "OperationOutcome", "url": f"{BASE}/3"}],
            deleted=[{"type": "Bundle", "url": f"{BASE}/4", "count": 0}],
        )
        told = [(file.kind, file.resource_type, file.url.rpartition("/")[2], file.count) for file in found.files]
        assert told == [
            (FileList.OUTPUT, "Patient", "1", 3),
            (FileList.OUTPUT, "Goal", "2", None),
            (FileList.DELETED, "Bundle", "4", 0),
            (FileList.ERROR, "OperationOutcome", "3", None),
        ]
        assert (found.transaction_time, found.requires_access_token) == ("2026-11-20T09:40:00.000Z", True)

    def test_cannot_scroll_a_terminal_with_its_time(self):
        assert read(transactionTime="\n\n 2026-11-20T09:40:00Z\r\n").transaction_time == "2026-11-20T09:40:00Z"

    def test_of_nothing_lists_nothing(self):
        assert read(output=[]).files == ()

    @pytest.mark.parametrize(
        "members",
        [
            {"output": None},
            {"output": {}},
            {"output": [{"type": "../../etc/passwd", "url": f"{BASE}/1"}]},
            {"output": [{"type": "Patient"}]},
            {"output": [{"type": "Patient", "url": f"{BASE}/1", "count": -1}]},
            {"output": [{"type": "Patient", "url": f"{BASE}/1", "count": True}]},
            {"output": [{"type": "Patient", "url": f"{BASE}/1"}] * 2},
            {"transactionTime": "2026-11-20"},
            {"transactionTime": None},
            {"requiresAccessToken": "false"},
            {"link": {"relation": "next", "url": f"{BASE}/next"}},
            {"link": ["next"]},
            {"link": [{"relation": "next"}]},
            {"link": [{"relation": "next", "url": ""}]},
            {"link": [{"relation": "next", "url": f"{BASE}/2"}, {"relation": "next", "url": f"{BASE}/3"}]},
        ],
    )
    def test_that_is_none_is_refused_whole(self, members):
        with pytest.raises(UnexpectedAnswer) as refused:
            read(**members)
        assert refused.value.code is Code.MALFORMED_RESPONSE

    @pytest.mark.parametrize("body", [b"", b"[]", b"<html>", b'"x"', b"[" * 100_000, b"\xff\xfe"])
    def test_that_cannot_be_read_says_so(self, body):
        with pytest.raises(UnexpectedAnswer) as refused:
            read_manifest(body, SERVER)
        assert refused.value.code is Code.UNREADABLE

    @pytest.mark.conformance("C68")
    @pytest.mark.parametrize("requires", [True, False])
    @pytest.mark.parametrize(
        "url",
        [
            "http://fhir.example.org/r4/one/1",
            "https://127.0.0.1/1",
            "https://10.0.0.8/1",
            "https://169.254.169.254/latest/meta-data",
            "https://storage.internal/1",
            "https://user@fhir.example.org/r4/one/1",
            "https://fhir.example.org:8443/r4/one/1",
            "https://fhir.example.org/r4/one/../two/1",
            "file:///etc/passwd",
            "r4/one/1",
        ],
    )
    def test_with_an_address_that_nobody_should_connect_to_is_refused_whole(self, url, requires):
        with pytest.raises(UnsafeAddress):
            read(output=[{"type": "Patient", "url": url}], requiresAccessToken=requires)
        with pytest.raises(UnsafeAddress):
            read(link=[{"relation": "next", "url": url}], requiresAccessToken=requires)

    @pytest.mark.conformance("C56")
    @pytest.mark.parametrize("url", ["https://storage.example.net/1", "https://fhir.example.org.example.net/r4/one/1"])
    def test_that_wants_our_token_elsewhere_is_refused(self, url):
        files = [{"type": "Patient", "url": url}]
        with pytest.raises(ForeignAddress):
            read(output=files)
        with pytest.raises(ForeignAddress):
            read(output=[], error=files)
        assert read(output=files, requiresAccessToken=False).files[0].url == url

    def test_may_want_our_token_beside_the_base(self):
        url = "https://fhir.example.org/r4/BulkRequest/7/1"
        assert read(output=[{"type": "Patient", "url": url}]).files[0].url == url

    def test_names_where_it_goes_on(self):
        assert read().next_url == read(link=[]).next_url == read(link=[{"relation": "self", "url": "x"}]).next_url == ""
        assert read(link=[{"relation": "next", "url": f"{BASE}/2"}]).next_url == f"{BASE}/2"

    def test_that_never_says_whether_it_wants_a_token_is_taken_to_want_it(self):
        without = listing()
        del without["requiresAccessToken"]
        assert read_manifest(json.dumps(without).encode(), SERVER).requires_access_token

    def test_of_too_many_files_is_refused(self, monkeypatch):
        monkeypatch.setattr(manifest, "MOST_FILES", 3)
        files = [{"type": "Patient", "url": f"{BASE}/{number}"} for number in range(4)]
        assert len(read(output=files[:3]).files) == 3
        with pytest.raises(UnexpectedAnswer) as refused:
            read(output=files)
        assert refused.value.code is Code.TOO_LARGE

    @pytest.mark.parametrize(
        "members",
        [
            {"transactionTime": "2026-11-20T09:40:01.000Z"},
            {"requiresAccessToken": False},
            {"output": [{"type": "Patient", "url": f"{BASE}/files/1"}]},
        ],
    )
    def test_takes_no_page_of_another_list_and_no_file_twice(self, members):
        second = {"output": [{"type": "Patient", "url": f"{BASE}/files/2"}]}
        assert len(joined(read(), read(**second)).files) == 2
        with pytest.raises(UnexpectedAnswer) as refused:
            joined(read(), read(**{**second, **members}))
        assert refused.value.code is Code.MALFORMED_RESPONSE

    def test_of_too_many_files_on_all_its_pages_is_refused(self, monkeypatch):
        monkeypatch.setattr(manifest, "MOST_FILES", 1)
        with pytest.raises(UnexpectedAnswer) as refused:
            joined(read(), read(output=[{"type": "Patient", "url": f"{BASE}/files/2"}]))
        assert refused.value.code is Code.TOO_LARGE

    @given(st.dictionaries(st.sampled_from(MEMBERS), ANY_JSON | ODD_FILES))
    def test_of_whatever_shape_is_read_or_refused_in_our_own_words(self, members):
        with contextlib.suppress(WireError):
            assert all(file.url.startswith("https://") for file in read(**members).files)

    def test_shows_no_address_of_a_file(self):
        assert "files/1" not in repr(read())
