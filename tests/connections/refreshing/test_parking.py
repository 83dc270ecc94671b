"""Links that are switched off are met once, delay no others, and continue by themselves when they are switched on."""

from datetime import timedelta

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext

from apps.connections.models import Connection, RefreshPace, StoredTokenSet
from apps.connections.refreshing import choosing, early_refreshes, parking
from apps.connections.refreshing.early_refreshes import Asked, Hindrance
from apps.directory import reaching
from apps.directory.models import ClientRegistration, Endpoint
from tests.connections.link_rows import HOUR, NOW, make_link, make_registration, provider, registration

__all__ = ["make_link", "make_registration", "provider", "registration"]

MINUTE = timedelta(minutes=1)


@pytest.fixture
def make_due(make_link):
    def make(*under, **columns):
        columns.setdefault("refresh_due_at", NOW - MINUTE)
        columns.setdefault("refresh_deadline_at", NOW + HOUR)
        return make_link(*under, **columns)

    return make


def looked_at(*, at=NOW) -> int:
    """How many rows one more look meets."""
    return len(choosing._candidates(100, at=at))


def taken(hands=10, *, at=NOW) -> list[Connection]:
    return [claim.connection for claim in choosing.take(hands, at=at).claims]


class TestALinkWhoseEndpointIsOff:
    @pytest.fixture
    def parked(self, make_due):
        made = [make_due() for _number in range(5)]
        Endpoint.objects.update(is_switched_on=False)
        assert looked_at() == 5
        assert choosing.take(10, at=NOW) == choosing.Taken([], waits=False)
        return made

    def test_is_met_once(self, parked):
        assert looked_at() == 0

    def test_is_due_again_when_its_endpoint_is_on(self, parked):
        assert parking.return_parked(at=NOW + HOUR) == 0
        Endpoint.objects.update(is_switched_on=True)
        assert parking.return_parked(at=NOW + MINUTE) == 5
        assert set(taken(at=NOW + MINUTE)) == set(parked)
        assert parking.return_parked(at=NOW + MINUTE) == 0

    def test_is_found_past_those_of_endpoints_that_stay_off(self, parked, make_due, make_registration):
        later = [make_due(make_registration(f"{number}")) for number in range(5)]
        Endpoint.objects.update(is_switched_on=False)
        choosing.take(10, at=NOW)
        Endpoint.objects.filter(pk=later[3].endpoint_id).update(is_switched_on=True)
        assert parking.return_parked(at=NOW) == 1
        assert taken() == [later[3]]

    def test_keeps_nobody_elses_waiting_however_many_they_are(self, parked, make_due, make_registration, monkeypatch):
        monkeypatch.setattr(choosing, "_SPARE", 0)
        monkeypatch.setattr(choosing, "_SWEEP", 2)
        Endpoint.objects.update(is_switched_on=True)
        parking.return_parked(at=NOW)
        Endpoint.objects.update(is_switched_on=False)
        other = make_due(make_registration("other"), refresh_deadline_at=NOW + 2 * HOUR)
        assert taken(1) == [other]

    def test_is_left_to_the_next_look_where_there_are_too_many(self, parked, monkeypatch):
        Endpoint.objects.update(is_switched_on=True)
        parking.return_parked(at=NOW)
        Endpoint.objects.update(is_switched_on=False)
        monkeypatch.setattr(choosing, "_SPARE", 0)
        monkeypatch.setattr(choosing, "_ROUNDS", 1)
        assert choosing.take(1, at=NOW) == choosing.Taken([], waits=True)
        assert StoredTokenSet.objects.filter(refresh_due_at=None).count() == 1

    def test_is_looked_for_by_one_question_where_there_is_none(self, registration):
        with CaptureQueriesContext(database) as captured:
            assert parking.return_parked(at=NOW) == 0
        assert len([query for query in captured if "UPDATE" in query["sql"]]) == 1


class TestALinkThatIsOver:
    @pytest.mark.parametrize("status", ["needs_reauthorization", "ended", "disconnected"])
    def test_is_due_no_more(self, make_due, status):
        make_due(status=status)
        assert choosing.take(10, at=NOW) == choosing.Taken([], waits=False)
        stored = StoredTokenSet.objects.get()
        assert (stored.refresh_due_at, stored.parked_endpoint_id) == (None, None)

    def test_keeps_no_worker_waiting_for_its_budget(self, make_due, registration):
        make_due(status="needs_reauthorization")
        RefreshPace.objects.create(registration=registration, next_at=NOW + MINUTE)
        assert choosing.take(3, at=NOW) == choosing.Taken([], waits=False)

    def test_is_not_one_that_awaits_its_patients_word(self, make_due):
        found = make_due(status="awaiting_confirmation", confirm_by_at=NOW + HOUR)
        assert taken() == []
        Connection.objects.update(status="active", confirm_by_at=None)
        assert taken(at=NOW + MINUTE) == [found]


class TestADialectNobodyKnows:
    @pytest.fixture
    def poison(self, make_due, make_registration):
        poison = make_due(make_registration("newer"), refresh_deadline_at=NOW + MINUTE)
        Endpoint.objects.filter(pk=poison.endpoint_id).update(dialect="of-tomorrow")
        return poison

    def test_keeps_nobody_elses_link_from_being_refreshed(self, poison, make_due, caplog):
        other = make_due()
        assert taken() == [other]
        assert "of-tomorrow" in caplog.text
        caplog.clear()
        assert taken() == []
        assert caplog.text == ""

    def test_is_refreshed_once_it_is_known(self, poison):
        assert taken() == []
        assert parking.return_parked(at=NOW) == 0
        Endpoint.objects.update(dialect="patient-access")
        assert parking.return_parked(at=NOW) == 1
        assert taken() == [poison]


class TestAnOverrideNobodyKnows:
    @pytest.fixture
    def poison(self, make_due, make_registration):
        poison = make_due(make_registration("newer"), refresh_deadline_at=NOW + MINUTE)
        ClientRegistration.objects.filter(pk=poison.registration_id).update(token_parameters="later")
        return poison

    def test_is_not_looked_at_anew_each_minute(self, poison):
        assert looked_at() == 0
        assert choosing.take(10, at=NOW) == choosing.Taken([], waits=False)

    def test_keeps_nobody_elses_link_from_being_refreshed(self, poison, make_due):
        other = make_due()
        assert taken() == [other]

    def test_is_refreshed_at_once_when_it_is_known(self, poison):
        assert taken() == []
        ClientRegistration.objects.update(token_parameters="body")
        assert taken() == [poison]

    def test_is_not_made_due_by_an_operator_nor_counted(self, poison):
        StoredTokenSet.objects.update(refresh_due_at=NOW + HOUR)
        assert (early_refreshes.count_refreshable(at=NOW), early_refreshes.bring_forward(at=NOW)) == ({}, {})
        assert early_refreshes.foresee(poison.pk, at=NOW) == Asked(hindrance=Hindrance.UNKNOWN)

    @pytest.mark.parametrize("written", ["", "query", "body", "later", "BODY"])
    def test_is_one_that_attempting_could_not_read_either(self, poison, written):
        ClientRegistration.objects.update(token_parameters=written)
        poison.registration.refresh_from_db()
        assert bool(taken()) == reaching.is_known(poison.endpoint, poison.registration)
