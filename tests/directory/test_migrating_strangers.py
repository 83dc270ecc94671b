"""The migration that finds out which endpoints, switched off long ago, still wait for staff to look at their host."""

from importlib import import_module

import pytest
from django.db import connection

from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact
from apps.directory.models import Endpoint
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

STRANGE = "https://thief.example/r4"
MARK = import_module("apps.directory.migrations.0020_strangers_of_before").MARK


@pytest.fixture
def off(make_provider, make_endpoint) -> Endpoint:
    """Off, at another host than its authorization server, as an import left it that wrote nothing down."""
    made: Endpoint = make_endpoint(
        make_provider("Harbor"), fhir_base_url=STRANGE, is_switched_on=False, switched_off_at=AT
    )
    return made


@pytest.fixture
def log(stella, off):
    def write(action: str, *, by_staff: bool) -> None:
        actor = Actor.staff(stella.pk) if by_staff else Actor.system("import_endpoints")
        recording.record(
            EventType.DIRECTORY_CHANGED,
            actor=actor,
            at=AT,
            subject="endpoint",
            subject_id=str(off.pk),
            facts={Fact.ACTION: action},
        )

    return write


def is_stranger(endpoint: Endpoint) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(MARK)
    endpoint.refresh_from_db()
    return endpoint.is_stranger


class TestAnEndpointThatIsOff:
    def test_is_a_stranger_where_nobody_wrote_down_why(self, off):
        assert is_stranger(off)

    @pytest.mark.parametrize(
        ("events", "expected"),
        [
            ([("switched off", False)], True),
            ([("addresses entered and switched off", True)], True),
            ([("switched off", True), ("switched on", True)], True),  # and off again, by an import
            ([("switched off", True)], False),
            ([("switched off", False), ("switched on", True), ("switched off", True)], False),
            ([("added", True)], False),
            ([("changed", True)], True),
        ],
    )
    def test_is_one_unless_staff_switched_it_last(self, off, log, events, expected):
        for action, by_staff in events:
            log(action, by_staff=by_staff)
        assert is_stranger(off) is expected

    @pytest.mark.parametrize("url", ["https://fhir.example.org/r4", "https://FHIR.example.org"])
    def test_is_none_at_the_host_of_its_own_server(self, off, url):
        Endpoint.objects.update(fhir_base_url=url)
        assert not is_stranger(off)

    def test_is_none_that_is_on_or_has_no_server(self, off):
        Endpoint.objects.update(is_switched_on=True)
        assert not is_stranger(off)
        Endpoint.objects.update(is_switched_on=False, authorization_server=None)
        assert not is_stranger(off)
