"""If many people want to link at an endpoint whose addresses are stale, only one of them waits for its server."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from apps.directory import discovering
from apps.directory.models import Endpoint
from tests.directory.conftest import AT
from tests.wire.servers import serving

pytestmark = pytest.mark.django_db(transaction=True)


class TestAStaleEndpoint:
    @pytest.mark.conformance("C22")
    def test_keeps_one_person_waiting_and_no_second_one(self, root):
        asked, go_on = threading.Event(), threading.Event()

        def hold_the_first(request):
            if not asked.is_set():
                asked.set()
                go_on.wait(5)
            return root.answer(request)

        def ask() -> None:
            try:
                discovering.keep_fresh(Endpoint.objects.get(), at=AT)
            finally:
                connections.close_all()

        with serving(hold_the_first) as server, ThreadPoolExecutor(1) as pool:
            Endpoint.objects.update(fhir_base_url=server.url("/r4/one"))
            second = Endpoint.objects.get()
            first = pool.submit(ask)
            assert asked.wait(5)
            discovering.keep_fresh(second, at=AT)
            assert server.connections == 1
            go_on.set()
            first.result(timeout=20)
        assert Endpoint.objects.get().discovered_at == AT

    def test_is_asked_by_the_next_one_where_the_first_never_came_back(self, root):
        Endpoint.objects.update(discovery_tried_at=AT)  # as a process that died leaves it
        later = AT + discovering.ASK_AGAIN_AFTER
        discovering.keep_fresh(Endpoint.objects.get(), at=later)
        assert Endpoint.objects.get().discovered_at == later
