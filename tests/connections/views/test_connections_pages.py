"""My connections: their states in words, and what to do next."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from apps.connections.authorization_responses import candidates
from apps.connections.callback import confirming
from apps.connections.models import Connection, StoredTokenSet
from apps.connections.presenting import standing
from apps.connections.reasons import Reason
from apps.directory.models import ClientRegistration, Endpoint
from tests.connections.provider_stand_in import CHILD
from tests.wire.servers import http

pytestmark = pytest.mark.django_db


def text_of(traveller, address) -> str:
    page = traveller.client.get(address)
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    return str(page.content.decode())


class TestTheList:
    def test_begins_with_finding_a_provider_where_there_is_none(self, traveller):
        assert "No providers yet." in text_of(traveller, "/connections/")

    def test_shows_each_connection_with_its_state_in_words(self, traveller, connection):
        page = text_of(traveller, "/connections/")
        assert "Harbor Family Practice" in page
        assert "Connected until" in page
        assert "Practice provider, not real" in page

    def test_puts_what_needs_the_patient_first(self, traveller, connection, make_place):
        other = make_place("Another Practice")
        second = traveller.link(other)
        confirming.confirm(second, candidate=0, at=second.created_at)
        connection.require_reauthorization(Reason.GRANT_ENDED, at=connection.created_at)
        page = text_of(traveller, "/connections/")
        assert page.index("Harbor Family Practice") < page.index("Another Practice")
        assert "Sign in to get updates" in page
        assert f"/connections/{connection.pk}/sign-in/" in page

    def test_leads_to_the_question_that_is_open(self, traveller, place):
        connection = traveller.link(place)
        page = text_of(traveller, "/connections/")
        assert "Is this the right person?" in page
        assert f"/connections/{connection.pk}/confirm/" in page

    def test_leaves_out_a_link_that_ran_out(self, traveller, place):
        connection = traveller.link(place)
        Connection.objects.update(confirm_by_at=connection.created_at)
        assert "No providers yet." in text_of(traveller, "/connections/")

    def test_shows_nothing_of_a_strangers(self, make_traveller, connection, sam):
        assert "Harbor" not in text_of(make_traveller(sam), "/connections/")

    def test_never_loads_a_token(self, traveller, connection, django_assert_max_num_queries):
        with django_assert_max_num_queries(10) as queries:
            traveller.client.get("/connections/")
        assert any("refresh_deadline_at" in query["sql"] for query in queries)
        for column in ("sealed_access_token", "sealed_refresh_token", "sealed_candidates"):
            assert not any(column in query["sql"] for query in queries)


class TestOneConnection:
    def test_shows_its_dates_and_version_and_the_way_out(self, traveller, connection):
        page = text_of(traveller, f"/connections/{connection.pk}/")
        assert "Connected since" in page
        assert "FHIR R4" in page
        assert f"/connections/{connection.pk}/disconnect/" in page

    @pytest.mark.parametrize("page", ["", "record/", "disconnect/"])
    def test_has_a_smaller_heading_where_its_provider_has_a_long_name(self, traveller, connection, page):
        assert "<h1>" in text_of(traveller, f"/connections/{connection.pk}/{page}")
        connection.provider.name = "Department of Otorhinolaryngology " * 3
        connection.provider.save()
        assert '<h1 class="is-long">' in text_of(traveller, f"/connections/{connection.pk}/{page}")

    def test_is_not_there_for_a_stranger(self, make_traveller, connection, sam):
        assert make_traveller(sam).client.get(f"/connections/{connection.pk}/").status_code == 404

    def test_is_not_there_before_it_was_confirmed(self, traveller, place):
        connection = traveller.link(place)
        assert traveller.client.get(f"/connections/{connection.pk}/").status_code == 404

    def test_is_not_there_where_it_went_a_moment_ago(self, traveller, connection, monkeypatch):
        """Ended with its copy in another tab, between two questions of ours."""
        ask = candidates.find_people

        def meanwhile(user_id, rows):
            Connection.objects.filter(pk=connection.pk).delete()
            return ask(user_id, rows)

        monkeypatch.setattr(candidates, "find_people", meanwhile)
        assert traveller.client.get(f"/connections/{connection.pk}/").status_code == 404

    def test_names_no_provider_in_the_title(self, traveller, connection):
        for address in ("/connections/", f"/connections/{connection.pk}/"):
            page = text_of(traveller, address)
            assert "Harbor" not in page.partition("</title>")[0]


class TestHowAConnectionStands:
    def at(self, connection: Connection) -> standing.ShownConnection:
        return standing.of_connection(connection, at=datetime.now(UTC))

    def test_is_connected_where_nothing_limits_it(self, traveller, place):
        Endpoint.objects.update(dialect="smart")  # whose refresh tokens have no window
        ClientRegistration.objects.update(token_parameters="query")
        found = traveller.link(place)
        connection = confirming.confirm(found, candidate=0, at=found.created_at).connection
        assert self.at(connection).word == "Connected"
        page = text_of(traveller, f"/connections/{connection.pk}/")
        assert "Until you end it, here or at Harbor Family Practice." in page
        assert "Until you end it, here or at Harbor" in text_of(traveller, place.before_you_go)

    def test_says_until_when_and_that_we_try_to_renew(self, connection):
        found = self.at(connection)
        assert found.word.startswith("Connected until")
        assert "We try to renew it by ourselves" in found.sentence
        assert not found.needs_you

    def test_warns_when_it_ends_soon_and_cannot_be_renewed(self, connection):
        StoredTokenSet.objects.update(refresh_due_at=None, refresh_deadline_at=datetime.now(UTC) + timedelta(hours=5))
        found = self.at(connection)
        assert found.word.startswith("Sign in again by ")
        assert found.needs_you
        assert found.action_url.endswith("/sign-in/")

    @pytest.mark.parametrize("reason", list(Reason))
    def test_says_why_a_new_sign_in_is_needed_and_what_was_kept(self, connection, reason):
        connection.require_reauthorization(reason, at=connection.created_at)
        found = self.at(connection)
        assert (found.kind, found.needs_you) == ("needs-you", True)
        assert "still here" in found.sentence

    def test_says_when_it_is_ours_to_fix(self, connection):
        ClientRegistration.objects.update(trouble="invalid_client")
        found = self.at(connection)
        assert found.kind == "fault"
        assert "Ours to fix" in found.sentence
        assert not found.needs_you

    def test_says_when_it_is_over(self, connection):
        connection.disconnect(at=connection.created_at)
        assert self.at(connection).word == "Disconnected"


class TestAConnectionWithoutARefreshToken:
    @pytest.fixture
    def connection(self, traveller, place, stand_in) -> Connection:
        stand_in.token = http(body={"access_token": "access-canary-1d20", "expires_in": 570})
        found = traveller.link(place)
        return confirming.confirm(found, candidate=0, at=found.created_at).connection

    @pytest.mark.parametrize("dialect", ["patient-access", "smart"])
    def test_promises_only_what_the_access_token_holds(self, traveller, connection, dialect):
        """Whether or not refresh tokens, where there are any, have a window there."""
        Endpoint.objects.update(dialect=dialect)
        for address in ("/connections/", f"/connections/{connection.pk}/", f"/connections/{connection.pk}/record/"):
            page = text_of(traveller, address)
            assert "Nothing to do" not in page
            assert "unless we can renew it" not in page
            assert "until you end it" not in page.lower()
            assert "do not need to do anything" not in page
            assert "by ourselves" not in page
        assert "It lasts a few minutes" in text_of(traveller, f"/connections/{connection.pk}/")
        assert f"/connections/{connection.pk}/sign-in/" in page

    def test_needs_the_patient_once_the_access_token_ended(self, connection):
        found = standing.of_connection(connection, at=datetime.now(UTC) + timedelta(seconds=571))
        assert (found.kind, found.needs_you) == ("needs-you", True)
        assert "only for a short time after each sign-in" in found.sentence

    def test_says_so_before_anybody_confirms_it(self, traveller, place, connection):
        waiting = traveller.link(place)
        page = text_of(traveller, f"/connections/{waiting.pk}/confirm/")
        assert "<strong>How long it lasts:</strong> A few minutes, long enough to copy what is there now." in page


class TestAConnectionGrantedForTheSessionThere:
    def test_is_not_promised_to_go_on_afterwards(self, connection):
        Endpoint.objects.update(dialect="smart")
        Connection.objects.update(granted_scope="patient/Patient.read online_access")
        found = standing.of_connection(connection, at=datetime.now(UTC))
        assert "while you are signed in there" in found.sentence
        assert found.action_url.endswith("/sign-in/")


class TestThePersonOfAConnection:
    def test_is_named_on_the_pages_and_sealed_in_the_row(self, traveller, connection):
        for address in ("/connections/", f"/connections/{connection.pk}/"):
            assert "Wrenna Quillfeather" in text_of(traveller, address)
        row = Connection.objects.get()
        assert row.sealed_person is not None
        assert b"Quillfeather" not in bytes(row.sealed_person)


class TestTwoConnectionsToOneProvider:
    @pytest.fixture
    def older(self, traveller, place, connection, make_place) -> Connection:
        """The same person by the older version."""
        endpoint = make_place("Another Practice", version="dstu2").endpoint
        endpoint.providers.add(place.provider)
        ClientRegistration.objects.update(versions_added=["r4", "dstu2"])
        found = traveller.link(replace(place, endpoint=endpoint))
        return confirming.confirm(found, candidate=0, at=found.created_at).connection

    def test_for_one_person_are_told_apart_by_their_way(self, traveller, connection, older):
        for address in ("/connections/", "/"):
            page = text_of(traveller, address)
            assert page.count("The newer way (FHIR R4)") >= 1
            assert page.count("The older way (FHIR DSTU2)") >= 1
        for address in (f"/connections/{older.pk}/", f"/connections/{older.pk}/record/"):
            page = text_of(traveller, address)
            assert "The older way (FHIR DSTU2)" in page
            assert "The newer way" not in page

    def test_for_two_people_need_no_more_than_their_names(self, traveller, stand_in, place, connection, request):
        stand_in.patient = http(body=CHILD)
        request.getfixturevalue("older")
        page = text_of(traveller, "/connections/")
        assert "Tam Quillfeather" in page
        assert "way (FHIR" not in page

    def test_by_two_interfaces_are_told_apart_by_those_too(self, connection, older):
        Endpoint.objects.filter(pk=older.endpoint_id).update(interface="smart", fhir_version="r4")
        found = standing.of_connection(connection, at=datetime.now(UTC))
        assert found.way == "The newer way (FHIR R4), all at once"

    def test_is_nothing_to_say_of_one(self, traveller, connection):
        assert "way (FHIR" not in text_of(traveller, "/connections/")
