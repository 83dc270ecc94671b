"""Memory for large answers: pages made to do harm, and several at once."""

import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from apps.wire import bundles, fhir
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import UnexpectedAnswer
from apps.wire.fhir import FhirServer
from apps.wire.secret import Secret
from tests.wire.servers import http, serving
from tests.wire.smart_servers import LOOPBACK

ROW = b'{"resource":{"resourceType":"Goal","id":"a","note":"%s"}}'
BUNDLE = b'{"resourceType":"Bundle","entry":[%s],"link":[%s]}'
MANY_LINKS = BUNDLE % (b"", b",".join([b'{"rel":"a"}'] * 95_000))
AT_ONCE = 3


def peak(work: Callable[[], object]) -> int:
    """How many bytes were held at once, beside what was held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


class TestSeveralLargePages:
    def test_are_taken_apart_one_at_a_time(self):
        with serving(http(body=MANY_LINKS)) as server:
            place = FhirServer(server.url("/fhir"), FhirVersion.R4, DIALECTS["smart"], LOOPBACK)

            def ask(_number: int = 0) -> None:
                fhir.search(place, access_token=Secret("t"), resource_type="Goal", patient_id="p")

            def ask_at_once() -> None:
                with ThreadPoolExecutor(AT_ONCE) as threads:
                    list(threads.map(ask, range(AT_ONCE)))

            ask()
            alone = peak(ask)
            assert peak(ask_at_once) < 2 * alone


class TestOneLargePage:
    @pytest.mark.parametrize(
        ("written", "most"),
        [
            (BUNDLE % (ROW % (rb"\\" * 500_000 + rb"\ud800"), b""), 6),
            (BUNDLE % (ROW % (rb"\ud800" * 150_000), b""), 6),
            (BUNDLE % (ROW % (b"\xff" * 1_000_000), b""), 12),
        ],
    )
    def test_takes_no_more_than_some_times_its_size(self, written, most):
        assert peak(lambda: bundles.read_page(written, base_url="http://a.example")) < most * len(written)

    def test_has_no_more_rows_than_anybody_sends(self):
        rows = b",".join([b'{"resource":{"resourceType":"Goal","id":"a"}}'] * 100_000)
        assert len(bundles.read_page(BUNDLE % (rows, b""), base_url="http://a.example").resources) == 100_000
        with pytest.raises(UnexpectedAnswer):
            bundles.read_page(BUNDLE % (rows + b",{}", b""), base_url="http://a.example")

    @pytest.mark.parametrize(("length", "is_cut"), [(8192, False), (8193, True)])
    def test_has_no_longer_link_than_anybody_follows(self, length, is_cut):
        url = "https://a.example/".ljust(length, "x")
        written = BUNDLE % (b"", b'{"relation":"next","url":"%s"}' % url.encode())
        page = bundles.read_page(written, base_url="http://a.example")
        assert (page.is_cut, page.next_url) == (is_cut, None if is_cut else url)
