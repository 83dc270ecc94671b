"""Whatever is wrong is found, with its severity and who must act; what is well is not reported."""

import uuid
from datetime import timedelta

import pytest

from apps.connections.link_health import overview, words
from apps.connections.link_health.findings import Level, What, Who
from apps.connections.link_health.site_certificate import Outlook
from apps.connections.models import PendingRevocation, RefreshPace, SiteCertificate, StoredTokenSet
from apps.directory.models import Enablement, Endpoint
from apps.vault import shredding
from tests.connections.link_rows import HOUR, NOW
from tests.vault.keys import entry, people

MINUTE = timedelta(minutes=1)
SOON = {"refresh_due_at": NOW + HOUR, "refresh_deadline_at": NOW + 20 * HOUR}


def found():
    """Level, kind, whose turn, and how many links of each finding."""
    return [(one.level, one.what, one.who, one.links) for one in overview.examine(at=NOW).findings]


class TestHealth:
    def test_is_well_where_there_is_nothing(self, db):
        examined = overview.examine(at=NOW)
        assert (examined.level, examined.findings, examined.registrations) == (Level.WELL, [], [])

    def test_is_well_where_links_only_do_what_they_should(self, make_link):
        make_link(**SOON)
        make_link(refresh_due_at=NOW - MINUTE, refresh_deadline_at=NOW + HOUR)
        make_link(status="needs_reauthorization", reason="window_over")
        make_link(lapses_at=NOW + HOUR)
        examined = overview.examine(at=NOW)
        assert (examined.level, examined.findings) == (Level.WELL, [])
        (one,) = examined.registrations
        assert (one.standings.active, one.standings.living) == (3, 4)
        assert one.standings.by_reason == {"window_over": 1}
        assert examined.lag_seconds == 60

    def test_is_that_of_its_worst_finding(self, make_link, make_registration):
        make_link(make_registration("A", trouble="invalid_client"))
        make_link(make_registration("B", trouble="invalid_client"), **SOON)
        examined = overview.examine(at=NOW)
        assert [one.level for one in examined.findings] == [Level.ACT, Level.ATTENTION]
        assert examined.level is Level.ACT


class TestTheClockOfThisMachine:
    @pytest.mark.parametrize(
        ("seconds", "expected"),
        [
            (0, []),
            (29, []),
            (-29, []),
            (31, [(Level.ATTENTION, "+31 s")]),
            (-3600, [(Level.ACT, "-3600 s")]),
        ],
    )
    def test_is_told_where_it_is_not_that_of_the_database(self, db, seconds, expected):
        examined = overview.examine(at=NOW, off_by=timedelta(seconds=seconds))
        assert [(one.level, one.code) for one in examined.findings if one.what is What.CLOCK] == expected


class TestARegistration:
    def test_in_trouble_is_staffs_today_and_at_once_where_links_end_within_a_day(self, make_link, make_registration):
        refused = make_registration(trouble="invalid_client", trouble_at=NOW - HOUR)
        make_link(refused)
        assert found() == [(Level.ATTENTION, What.TROUBLE, Who.OPERATOR, 1)]
        make_link(refused, **SOON)
        assert found() == [(Level.ACT, What.TROUBLE, Who.OPERATOR, 2)]
        (finding,) = overview.examine(at=NOW).findings
        assert (finding.code, finding.since_at, finding.about_id) == ("invalid_client", NOW - HOUR, refused.pk)

    def test_in_trouble_that_has_no_links_is_staffs_since_patients_are_turned_away(self, make_registration):
        make_registration("A", trouble="invalid_client")
        assert found() == [(Level.ATTENTION, What.TROUBLE, Who.OPERATOR, 0)]

    def test_in_trouble_that_has_no_links_and_is_off_is_nobodys(self, make_registration):
        make_registration(trouble="invalid_client", is_switched_on=False)
        assert found() == []

    def test_that_is_off_is_staffs(self, make_link, make_registration):
        off = make_registration(is_switched_on=False)
        make_link(off)
        assert found() == [(Level.ATTENTION, What.REGISTRATION_OFF, Who.OPERATOR, 1)]
        make_link(off, **SOON)
        assert found() == [(Level.ACT, What.REGISTRATION_OFF, Who.OPERATOR, 2)]

    def test_with_an_override_nobody_knows_is_staffs(self, make_link, make_registration):
        unread = make_registration(token_parameters="later")
        make_link(unread, refresh_due_at=NOW - 2 * HOUR)
        assert found() == [(Level.ATTENTION, What.REGISTRATION_UNKNOWN, Who.OPERATOR, 1)]
        make_link(unread, **SOON)
        assert found() == [(Level.ACT, What.REGISTRATION_UNKNOWN, Who.OPERATOR, 2)]
        examined = overview.examine(at=NOW)
        assert (examined.findings[0].about_id, examined.lag_seconds) == (unread.pk, 0)
        assert "Deploy the release that does" in words.sentence(examined.findings[0])

    def test_with_one_that_has_no_links_is_nobodys(self, make_registration):
        make_registration(token_parameters="later")
        assert found() == []

    def test_that_is_held_is_not_late(self, make_link, make_registration):
        make_link(make_registration(is_switched_on=False), refresh_due_at=NOW - 2 * HOUR)
        make_link(make_registration(trouble="invalid_client"), refresh_due_at=NOW - 2 * HOUR)
        assert {what for _level, what, _who, _links in found()} == {What.REGISTRATION_OFF, What.TROUBLE}
        assert overview.examine(at=NOW).lag_seconds == 0

    @pytest.mark.parametrize(
        ("minutes", "expected"),
        [
            (14, []),
            (15, [(Level.ATTENTION, What.OVERDUE, Who.US, 1)]),
            (60, [(Level.ACT, What.OVERDUE, Who.US, 1)]),
        ],
    )
    def test_that_is_late_is_ours(self, minutes, expected, make_link):
        make_link(refresh_due_at=NOW - minutes * MINUTE)
        assert found() == expected

    def test_with_a_stuck_lease_is_ours_at_once(self, make_link):
        make_link(refresh_due_at=NOW - 6 * MINUTE, attempt_id=uuid.uuid4(), lease_until=NOW - 5 * MINUTE)
        assert found() == [(Level.ACT, What.STUCK, Who.US, 1)]

    @pytest.mark.parametrize(
        ("pace", "is_slow"),
        [
            ({"silences": 5}, True),
            ({"silences": 4}, False),
            ({"slowed_per_second": 0.5, "slowed_at": NOW - 9 * MINUTE}, True),
            ({"slowed_per_second": 0.5, "slowed_at": NOW - 10 * MINUTE}, False),
        ],
    )
    def test_that_is_late_because_its_provider_slows_us_down_is_its_providers(
        self, pace, is_slow, registration, make_link
    ):
        RefreshPace.objects.create(registration=registration, next_at=NOW, **pace)
        make_link(refresh_due_at=NOW - 2 * HOUR)
        make_link(refresh_due_at=NOW + MINUTE, tries=2)
        expected = (Level.ATTENTION, What.WAITING, Who.PROVIDER, 2) if is_slow else (Level.ACT, What.OVERDUE, Who.US, 1)
        assert found() == [expected]

    def test_that_refuses_three_and_takes_nobody_is_its_providers_at_once(self, make_link):
        for minutes in (30, 20, 10):
            refused_at = NOW - minutes * MINUTE
            make_link(status="needs_reauthorization", refused_at=refused_at, refresh_due_at=NOW + HOUR)
        (finding,) = overview.examine(at=NOW).findings
        assert (finding.level, finding.what, finding.who, finding.links) == (Level.ACT, What.REFUSING, Who.PROVIDER, 3)
        assert finding.since_at == NOW - 30 * MINUTE
        assert overview.examine(at=NOW - MINUTE).level is Level.WELL  # the third was not yet asked for again

    def test_that_slows_us_down_while_nothing_is_due_is_nobodys(self, registration, make_link):
        RefreshPace.objects.create(registration=registration, next_at=NOW, silences=9)
        make_link(refresh_due_at=NOW + HOUR)
        assert found() == []

    @pytest.mark.parametrize(("hours", "level"), [(25, Level.ATTENTION), (20, Level.ACT)])
    def test_with_a_link_that_broke_off_is_ours_until_it_is_renewed(self, hours, level, make_link):
        broken = {"broke_off_at": NOW - MINUTE, "refresh_due_at": NOW + HOUR}
        link = make_link(tries=3, refresh_deadline_at=NOW + hours * HOUR, **broken)
        make_link(tries=0, **broken)
        make_link(tries=3, status="needs_reauthorization", **broken)
        assert found() == [(level, What.BROKE_OFF, Who.US, 1)]
        assert overview.examine(at=NOW).registrations[0].lag.broken_off == 1
        StoredTokenSet.objects.filter(pk=link.pk).update(tries=0)
        assert found() == []

    @pytest.mark.parametrize(("hours", "level"), [(25, Level.ATTENTION), (20, Level.ACT)])
    def test_whose_server_answers_renewals_with_nothing_we_know_is_staffs(self, hours, level, make_link):
        answered = {"refresh_due_at": NOW + HOUR, "refresh_deadline_at": NOW + hours * HOUR}
        link = make_link(tries=3, **answered)
        make_link(tries=2, **answered)
        make_link(tries=9, silent_since=NOW - HOUR, **answered)
        make_link(tries=9, status="needs_reauthorization", refused_at=NOW - HOUR, **answered)
        assert found() == [(level, What.FAILING, Who.OPERATOR, 1)]
        StoredTokenSet.objects.filter(pk=link.pk).update(tries=0)
        assert found() == []

    def test_whose_server_asks_us_to_wait_is_told_as_that_alone(self, registration, make_link):
        RefreshPace.objects.create(registration=registration, next_at=NOW, slowed_per_second=0.5, slowed_at=NOW)
        make_link(tries=3, refresh_due_at=NOW + HOUR)
        assert found() == [(Level.ATTENTION, What.WAITING, Who.PROVIDER, 1)]


class TestAnEndpoint:
    def test_that_moved_is_not_told_as_failing_besides(self, make_link):
        make_link(tries=3, refresh_due_at=NOW + HOUR)
        Endpoint.objects.update(named_authorize_url="https://new.example/a", named_token_url="https://new.example/t")
        assert {what for _level, what, _who, _links in found()} == {What.ENDPOINT_MOVED}

    def test_that_is_not_enabled_is_not_told_as_failing_besides(self, make_link, registration):
        endpoint = registration.authorization_server.endpoints.get()
        Enablement.objects.create(registration=registration, endpoint=endpoint, is_enabled=False, since_at=NOW)
        make_link(tries=3, refresh_due_at=NOW + HOUR)
        assert {what for _level, what, _who, _links in found()} == {What.NOT_ENABLED}

    def test_that_is_off_is_staffs_where_links_live_there(self, make_link, registration):
        endpoint = registration.authorization_server.endpoints.get()
        endpoint.is_switched_on = False
        endpoint.save()
        assert found() == []
        make_link()
        make_link(status="disconnected")
        assert found() == [(Level.ATTENTION, What.ENDPOINT_OFF, Who.OPERATOR, 1)]

    def test_that_is_off_is_urgent_where_what_is_parked_there_ends_within_a_day(self, make_link, registration):
        endpoint = registration.authorization_server.endpoints.get()
        Endpoint.objects.update(is_switched_on=False)
        link = make_link(refresh_deadline_at=NOW + 20 * HOUR, parked_endpoint=endpoint)
        assert found() == [(Level.ACT, What.ENDPOINT_OFF, Who.OPERATOR, 1)]
        (one,) = overview.examine(at=NOW).registrations
        assert (one.lag.parked, one.lapsing.refreshing_in_12_hours, one.lapsing.refreshing_in_24_hours) == (1, 0, 1)
        StoredTokenSet.objects.filter(pk=link.pk).update(refresh_deadline_at=NOW + 25 * HOUR)
        assert found() == [(Level.ATTENTION, What.ENDPOINT_OFF, Who.OPERATOR, 1)]

    def test_of_a_dialect_nobody_knows_is_staffs(self, make_link):
        make_link()
        Endpoint.objects.update(dialect="of tomorrow")
        assert found() == [(Level.ATTENTION, What.ENDPOINT_UNKNOWN, Who.OPERATOR, 1)]

    def test_that_is_not_enabled_is_its_organizations(self, make_link, registration):
        endpoint = registration.authorization_server.endpoints.get()
        row = Enablement.objects.create(registration=registration, endpoint=endpoint, is_enabled=False, since_at=NOW)
        make_link()
        assert found() == [(Level.ATTENTION, What.NOT_ENABLED, Who.ORGANIZATION, 1)]
        row.is_enabled = True
        row.save()
        assert found() == []


class TestARevocation:
    @pytest.mark.parametrize(("hours", "is_found"), [(11, False), (12, True)])
    def test_that_waits_for_half_a_day_is_to_be_looked_at(self, hours, is_found, make_link):
        link = make_link()
        PendingRevocation.objects.create(
            user_id=link.user_id,
            provider=link.provider,
            endpoint=link.endpoint,
            registration=link.registration,
            sealed_token=b"",
            created_at=NOW - hours * HOUR,
            try_at=NOW,
        )
        assert found() == ([(Level.ATTENTION, What.REVOCATIONS, Who.PROVIDER, 1)] if is_found else [])
        examined = overview.examine(at=NOW)
        assert examined.oldest_revocation_at == NOW - hours * HOUR
        asked = [(finding.about, finding.about_id) for finding in examined.findings]
        assert asked == ([(str(link.registration), link.registration.pk)] if is_found else [])


class TestOurKeys:
    @pytest.fixture
    def wrapped(self, db, settings):
        settings.VAULT_KEYS = [entry("2025-a")]
        people(2)

    def test_that_are_at_hand_are_no_finding(self, wrapped, settings):
        settings.VAULT_KEYS = [entry("2026-a"), entry("2025-a")]
        assert found() == []

    def test_that_are_missing_are_named_and_put_back_at_once_by_whoever_runs_this(self, wrapped, settings):
        settings.VAULT_KEYS = [entry("2026-a")]
        assert found() == [(Level.ACT, What.KEY_MISSING, Who.US, 0)]
        (finding,) = overview.examine(at=NOW).findings
        assert (finding.about, finding.code) == ("VAULT_KEYS", "2025-a")
        assert "until it is put back" in words.sentence(finding)

    def test_that_cannot_be_used_are_found_as_well(self, wrapped, settings):
        settings.VAULT_KEYS = []
        assert [one.code for one in overview.examine(at=NOW).findings] == ["unusable"]

    def test_that_wrap_what_was_shredded_are_missed_by_nobody(self, db, settings):
        settings.VAULT_KEYS = [entry("2025-a")]
        for holder in people(1):
            shredding.shred(holder)
        settings.VAULT_KEYS = [entry("2026-a")]
        assert found() == []


class TestOurCertificate:
    @pytest.fixture(autouse=True)
    def _by_https(self, settings):
        settings.SITE_ORIGIN = "https://holdfast.example"

    @pytest.mark.parametrize(
        ("days", "level", "outlook"),
        [
            (22, Level.WELL, Outlook.WELL),
            (20, Level.ATTENTION, Outlook.ENDS_SOON),
            (6, Level.ACT, Outlook.ENDS_VERY_SOON),
            (-1, Level.ACT, Outlook.ENDED),
        ],
    )
    def test_is_found_by_how_soon_it_ends(self, days, level, outlook, db):
        SiteCertificate.objects.create(
            origin="https://holdfast.example", tried_at=NOW, seen_at=NOW, ends_at=NOW + timedelta(days=days)
        )
        examined = overview.examine(at=NOW)
        assert (examined.level, examined.certificate) == (level, outlook)
        assert [one.who for one in examined.findings] == ([] if level is Level.WELL else [Who.US])

    def test_that_nobody_saw_is_to_be_looked_at(self, db):
        assert found() == [(Level.ATTENTION, What.CERTIFICATE, Who.US, 0)]


class TestWords:
    def test_are_there_for_whatever_can_be_found(self):
        assert set(words.WHAT) == set(What)
        assert set(words.WHO) == set(Who)
        assert set(words.LEVELS) == set(Level)
        assert set(words.OUTLOOKS) == set(Outlook)
