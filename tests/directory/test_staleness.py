"""When addresses are discovered again: never asked, a day old, or in doubt; of many at once, one person asks."""

from datetime import timedelta

import pytest

from apps.directory import discovering, tasks
from apps.directory.models import Endpoint
from apps.wire.errors import WireError
from config.celery import SCHEDULE
from tests.directory.conftest import AT
from tests.directory.smart_deployment import CONFIGURATION, LOGIN, register

pytestmark = pytest.mark.django_db


class TestWhatIsStale:
    def test_is_what_was_never_asked(self, root):
        assert discovering.is_stale(root.endpoint, at=AT)

    def test_is_asked_again_a_day_later(self, root):
        root.discover()
        assert not discovering.is_stale(root.endpoint, at=AT + timedelta(hours=23))
        assert discovering.is_stale(root.endpoint, at=AT + timedelta(hours=24))

    def test_is_what_failed_but_not_at_once(self, root):
        root.configuration = 503
        with pytest.raises(WireError):
            root.discover()
        assert not discovering.is_stale(root.endpoint, at=AT + timedelta(minutes=14))
        assert discovering.is_stale(root.endpoint, at=AT + timedelta(minutes=15))

    @pytest.mark.conformance("C22")
    def test_is_what_is_doubted_after_a_failure(self, root):
        server = root.discover()
        discovering.doubt(root.endpoint)
        root.endpoint.refresh_from_db()
        assert root.endpoint.authorization_server == server
        assert discovering.is_stale(root.endpoint, at=AT + timedelta(seconds=20))  # whoever is told to start again

    def test_is_not_asked_once_more_at_once_where_asking_did_not_help(self, root):
        root.discover()
        discovering.doubt(root.endpoint)
        root.configuration = 503
        later = AT + timedelta(seconds=20)
        with pytest.raises(WireError):
            root.discover(later)
        discovering.doubt(root.endpoint)
        root.endpoint.refresh_from_db()
        assert not discovering.is_stale(root.endpoint, at=later + timedelta(minutes=14))
        assert discovering.is_stale(root.endpoint, at=later + timedelta(minutes=15))

    def test_is_never_an_endpoint_whose_addresses_are_configured(self, make_root):
        root = make_root(interface="patient-access", dialect="patient-access")
        assert not discovering.is_stale(root.endpoint, at=AT)


class TestKeepingFresh:
    @pytest.mark.conformance("C22")
    def test_asks_where_it_is_stale_and_only_there(self, root):
        discovering.keep_fresh(root.endpoint, at=AT)
        assert root.endpoint.authorization_server is not None
        root.says(token_endpoint=f"{LOGIN}/new/token")
        discovering.keep_fresh(root.endpoint, at=AT + timedelta(hours=1))
        assert root.endpoint.authorization_server.token_url == f"{LOGIN}/token"
        discovering.doubt(root.endpoint)
        root.endpoint.refresh_from_db()
        discovering.keep_fresh(root.endpoint, at=AT + timedelta(hours=1))
        assert root.endpoint.authorization_server.token_url == f"{LOGIN}/new/token"

    def test_leaves_what_is_known_where_it_fails(self, root):
        server = root.discover()
        root.configuration = 503
        discovering.keep_fresh(root.endpoint, at=AT + timedelta(days=1))
        assert root.endpoint.authorization_server == server

    def test_of_all_asks_a_few_at_once_and_each_in_its_turn(self, make_root):
        first, second, third = make_root(), make_root(), make_root()
        configured = make_root(interface="patient-access", dialect="patient-access")
        gone = make_root(vanished_at=AT)
        server = second.discover()
        for served in (first, third, configured, gone):
            Endpoint.objects.filter(pk=served.endpoint.pk).update(authorization_server=server)
            served.endpoint.refresh_from_db()
        register(server)
        third.configuration = 503
        with pytest.raises(WireError):
            third.discover(AT - timedelta(hours=1))
        assert discovering.discover_stale(at=AT, most=1) == 1
        first.endpoint.refresh_from_db()
        assert first.endpoint.discovered_at == AT
        third.configuration = dict(CONFIGURATION)
        assert discovering.discover_stale(at=AT, most=5) == 1
        third.endpoint.refresh_from_db()
        assert third.endpoint.discovered_at == AT
        assert discovering.discover_stale(at=AT + timedelta(days=1), most=5) == 3

    def test_is_on_the_schedule(self, root):
        register(root.discover())
        discovering.doubt(root.endpoint)
        tasks.discover_stale()
        assert Endpoint.objects.get().discovered_at is not None
        assert tasks.discover_stale.name in {row.task for row in SCHEDULE}
