"""The certificate of our own site is checked as a browser would, and staff hear in time when it ends, neither too often
nor for nothing."""

import logging
from datetime import timedelta

import pytest
from django.core import mail

from apps.connections import certificate_alarm, tasks
from apps.connections.link_health import site_certificate
from apps.connections.link_health.site_certificate import Outlook
from apps.connections.models import SiteCertificate
from config import celery
from tests.fixtures.tls import NOW, Authority

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
HOST = "provider.example"  # the host whose address the fixture knows


@pytest.fixture
def site(settings, authority, tls_provider, route, tmp_path):
    """Watches once, while the site presents this certificate; NOW, because TLS has the machine's clock."""
    settings.SITE_ORIGIN = f"https://{HOST}"

    def watch(*, by=authority, at=NOW, names=(HOST,), **validity):
        with tls_provider(by.context(tmp_path, *names, **validity)) as server:
            route(server.port)
            certificate_alarm.watch_site_certificate(at=at)
        return server.requests

    return watch


def latest():
    """What was kept."""
    row = site_certificate.latest()
    assert row is not None
    return row


def told():
    return [message.to for message in mail.outbox]


class TestOurCertificate:
    @pytest.mark.parametrize(
        ("days", "outlook"), [(22, Outlook.WELL), (20, Outlook.ENDS_SOON), (6, Outlook.ENDS_VERY_SOON)]
    )
    def test_is_kept_as_it_was_seen_and_nothing_is_sent(self, days, outlook, site):
        ends_at = (NOW + days * DAY).replace(microsecond=0)
        assert site(until=ends_at) == []
        row = SiteCertificate.objects.get()
        assert (row.origin, row.ends_at, row.seen_at, row.fault) == (f"https://{HOST}", ends_at, NOW, "")
        assert site_certificate.outlook(row, at=NOW) is outlook

    def test_that_has_ended_has_ended(self, site):
        site(until=NOW - DAY)
        assert site_certificate.outlook(latest(), at=NOW) is Outlook.ENDED

    @pytest.mark.parametrize("made_with", [{"names": ["other.example"]}, {"by": Authority()}])
    def test_that_browsers_refuse_is_refused(self, made_with, site):
        site(until=NOW + 90 * DAY, **made_with)
        assert site_certificate.outlook(latest(), at=NOW) is Outlook.REFUSED

    def test_is_looked_at_once_a_day(self, site):
        site(until=NOW + 90 * DAY)
        first = latest().seen_at
        site(until=NOW + 90 * DAY, at=NOW + 22 * DAY / 24)
        assert latest().seen_at == first
        site(until=NOW + 90 * DAY, at=NOW + DAY)
        assert latest().seen_at == NOW + DAY

    def test_that_nobody_saw_is_looked_at_again_within_the_hour(self, settings, site, route):
        """A site that is just being put up has its proxy a little later."""
        settings.SITE_ORIGIN = f"https://{HOST}"
        route(9)  # nobody listens there
        certificate_alarm.watch_site_certificate(at=NOW)
        site(until=NOW + 90 * DAY, at=NOW + timedelta(minutes=50))
        assert latest().seen_at is None
        site(until=NOW + 90 * DAY, at=NOW + timedelta(hours=1))
        assert latest().seen_at == NOW + timedelta(hours=1)

    def test_that_staff_renew_is_well_within_the_hour(self, site):
        site(until=NOW + 6 * DAY)
        site(until=NOW + 90 * DAY, at=NOW + timedelta(hours=1))
        assert site_certificate.outlook(latest(), at=NOW + timedelta(hours=1)) is Outlook.WELL

    def test_that_does_not_answer_stays_as_it_was_seen_for_three_days(self, site, route, caplog):
        site(until=NOW + 90 * DAY)
        route(9)  # nobody listens there
        certificate_alarm.watch_site_certificate(at=NOW + 2 * DAY)
        assert "Our own certificate was not seen: unreachable" in caplog.text
        row = latest()
        assert (row.seen_at, row.tried_at) == (NOW, NOW + 2 * DAY)
        assert site_certificate.outlook(row, at=NOW + 2 * DAY) is Outlook.WELL
        assert site_certificate.outlook(row, at=NOW + 3 * DAY) is Outlook.UNSEEN

    def test_is_not_watched_by_plain_http_nor_where_staff_do_not_want_it(self, settings, route):
        reached = route(9)
        for origin, is_wanted in (("http://localhost:8000", True), (f"https://{HOST}", False)):
            settings.SITE_ORIGIN, settings.WATCHES_SITE_CERTIFICATE = origin, is_wanted
            certificate_alarm.watch_site_certificate(at=NOW)
            assert site_certificate.outlook(site_certificate.latest(), at=NOW) is Outlook.NOT_WATCHED
        assert (reached, SiteCertificate.objects.count()) == ([], 0)

    def test_of_an_origin_that_was_left_is_of_no_account(self, settings, site):
        site(until=NOW + 5 * DAY)
        settings.SITE_ORIGIN = "https://elsewhere.example"
        assert site_certificate.latest() is None
        assert site_certificate.outlook(None, at=NOW) is Outlook.UNSEEN


class TestStaff:
    def test_are_told_while_there_is_time(self, site, stella, alice, caplog):
        site(until=NOW + 20 * DAY)
        assert told() == [[stella.email]]
        (message,) = mail.outbox
        assert message.subject == "The certificate of our site must be renewed"
        assert f"https://{HOST} ends on " in message.body
        assert "must be renewed: ends_soon" in caplog.text

    @pytest.mark.parametrize(
        ("made_with", "words"),
        [({"until": NOW - DAY}, f"https://{HOST} ended on"), ({"by": Authority()}, "refuse the TLS certificate of")],
    )
    def test_are_told_when_nobody_can_come(self, made_with, words, site, stella):
        site(**{"until": NOW + 90 * DAY, **made_with})
        assert words in mail.outbox[0].body

    def test_are_told_nothing_where_all_is_well(self, site, stella, caplog):
        caplog.set_level(logging.INFO)
        site(until=NOW + 22 * DAY)
        assert (told(), "certificate" in caplog.text) == ([], False)

    def test_are_told_again_the_next_day_and_not_before(self, site, stella):
        site(until=NOW + 20 * DAY)
        row = latest()
        assert not site_certificate.claim_telling(row, at=NOW + DAY / 2)
        site(until=NOW + 20 * DAY, at=NOW + DAY)
        assert len(told()) == 2

    def test_who_left_are_told_nothing(self, site, stella):
        stella.is_active = False
        stella.save()
        site(until=NOW + 20 * DAY)
        assert told() == []


class TestTheSchedule:
    def test_has_it(self, settings, route):
        assert "apps.connections.tasks.watch_site_certificate" in {row.task for row in celery.SCHEDULE}
        tasks.watch_site_certificate()
        assert SiteCertificate.objects.count() == 0
