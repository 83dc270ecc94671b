"""`refresh_tokens` refreshes one link, those that are due, or all, and says what came of it and who must act."""

import io
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection as database
from django.db.models import F

from apps.connections import refreshing, tallying
from apps.connections.models import Connection, StoredTokenSet
from apps.directory import reaching
from apps.directory.models import ClientRegistration, Endpoint
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from tests.connections.provider_stand_in import tokens
from tests.wire.servers import http

pytestmark = pytest.mark.django_db(transaction=True)  # hands are threads of their own

HOUR = timedelta(hours=1)
CANARIES = ("access-canary", "refresh-canary", "canary-patient", "alice@example.org", "Alice", "Harbor")


def run(*options):
    """What it prints, and its exit code."""
    printed = io.StringIO()
    try:
        call_command("refresh_tokens", *options, stdout=printed)
    except CommandError as ended:
        return printed.getvalue(), ended.returncode
    return printed.getvalue(), 0


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch):
    """A budget that is never used up."""
    monkeypatch.setattr(reaching, "refreshes_per_second", lambda _dialect: 10_000)


@pytest.fixture
def make(alice, place, provider):
    """A link with tokens that open, fallen due a minute ago; or to fall due in so many hours."""

    def make(*, due_in=-HOUR / 60, refresh_token="refresh-canary"):
        now = datetime.now(UTC)
        link = Connection.objects.create(
            user=alice,
            endpoint=place.endpoint,
            provider=provider,
            registration=place.registration,
            status="active",
            fhir_patient_id=f"canary-patient-{uuid.uuid4().hex}",
            created_at=now,
            confirmed_at=now,
        )
        secret = Secret(refresh_token) if refresh_token else None
        given = TokenSet(Secret("access-canary"), 300, secret)
        refreshing.keep(link, given, issued_at=now - 25 * HOUR)
        StoredTokenSet.objects.filter(pk=link.pk).update(refresh_due_at=due_in and now + due_in)
        return link

    return make


def generations():
    return sorted(StoredTokenSet.objects.values_list("generation", flat=True))


@pytest.fixture
def refused(make, stand_in):
    """A link that was refused a moment ago, and is asked for again in some minutes."""
    link = make()
    stand_in.token = http(400, {"error": "invalid_grant"})
    run("--due")
    stand_in.token = tokens()
    return link


class TestALinkThatWasRefused:
    def test_is_asked_for_as_soon_as_an_operator_knows_better(self, refused):
        assert run(str(refused.pk), "--dry-run") == (f"{refused.pk}: would be asked for now.\n", 0)
        assert run(str(refused.pk)) == (f"{refused.pk}: renewed.\n", 0)
        assert Connection.objects.get().status == "active"

    def test_is_among_all(self, refused, place):
        assert f"{place.registration}: 1\n" in run("--all", "--dry-run")[0]
        assert "1 link was made due." in run("--all")[0]
        assert Connection.objects.get().status == "active"

    def test_is_not_believed_a_moment_later(self, refused, stand_in, place):
        tallying.count(place.registration.pk, tallying.Outcome.SUCCEEDED, at=datetime.now(UTC) + HOUR)
        stand_in.token = http(400, {"error": "invalid_grant"})
        assert "ended: the patient must sign in again" in run(str(refused.pk))[0]
        assert StoredTokenSet.objects.get().is_doubted

    def test_is_the_patients_where_it_is_believed(self, refused, stand_in):
        StoredTokenSet.objects.update(refused_at=None, refresh_due_at=None)
        stand_in.token_requests.clear()
        assert "its patient must sign in" in run(str(refused.pk))[0]
        assert run("--all")[0].startswith("0 links were made due.")


class TestOneLink:
    def test_is_renewed_although_it_is_not_due(self, make, stand_in):
        link = make(due_in=5 * HOUR)
        stand_in.token = tokens()
        assert run(str(link.pk)) == (f"{link.pk}: renewed.\n", 0)
        assert generations() == [2]

    def test_is_not_asked_for_before_its_floor(self, make, stand_in, place):
        ClientRegistration.objects.update(minimum_refresh_seconds=3600)
        link = make()
        stand_in.token = tokens()
        assert run(str(link.pk))[1] == 0
        text, code = run(str(link.pk))
        assert f"{link.pk}: not asked: nobody may ask again yet. Not before " in text
        assert (code, len(stand_in.token_requests)) == (0, 1)

    @pytest.mark.parametrize(
        ("answer", "words", "code"),
        [
            (http(503, {}), "will be tried again on its own: the provider could not answer", 0),
            (http(400, {"error": "invalid_grant"}), "ended: the patient must sign in again", 0),
            (http(401, {"error": "invalid_client"}), "refused: staff must act", 1),
            (http(400, {"error": "invalid_request"}), "failed: their answer or our request was wrong", 1),
        ],
    )
    def test_that_fails_says_whose_turn_it_is(self, answer, words, code, make, stand_in):
        stand_in.token = answer
        text, ended = run(str(make().pk))
        assert words in text
        assert ended == code

    @pytest.mark.parametrize("model", [ClientRegistration, Endpoint])
    def test_that_is_switched_off_is_for_staff(self, model, make, stand_in):
        link = make()
        model.objects.update(is_switched_on=False)
        text, code = run(str(link.pk))
        assert "not asked: staff switched off its endpoint or registration" in text
        assert (code, stand_in.token_requests) == (1, [])

    def test_of_a_refused_registration_is_for_staff(self, make, stand_in):
        link = make()
        ClientRegistration.objects.update(trouble="invalid_client", trouble_at=datetime.now(UTC))
        text, code = run(str(link.pk))
        assert "not asked: its registration is refused" in text
        assert (code, stand_in.token_requests) == (1, [])

    def test_that_is_over_or_not_renewable_is_the_patients(self, make):
        link = make(refresh_token="")
        assert "gave no way to renew it" in run(str(link.pk))[0]
        Connection.objects.update(status="needs_reauthorization")
        text, code = run(str(link.pk))
        assert "it is not active: its patient must sign in" in text
        assert code == 0

    def test_that_a_worker_has_in_hand_is_left_to_it(self, make, stand_in):
        link = make()
        StoredTokenSet.objects.update(attempt_id=uuid.uuid4(), lease_until=datetime.now(UTC) + HOUR)
        assert "not asked: somebody is at it" in run(str(link.pk))[0]
        assert stand_in.token_requests == []

    def test_is_only_looked_at_where_it_is_rehearsed(self, make, stand_in):
        link = make()
        assert run(str(link.pk), "--dry-run") == (f"{link.pk}: would be asked for now.\n", 0)
        Connection.objects.update(status="ended")
        assert "not asked: it is not active" in run(str(link.pk), "--dry-run")[0]
        assert (generations(), stand_in.token_requests) == ([1], [])

    def test_must_be_there(self, db):
        with pytest.raises(CommandError, match="There is no connection with this id"):
            call_command("refresh_tokens", str(uuid.uuid4()))


class TestWhatIsDue:
    def test_is_renewed_and_nothing_else(self, make, stand_in):
        make(), make(), make(due_in=5 * HOUR)
        stand_in.token = tokens()
        assert run("--due") == ("ours: 2 renewed\n", 0)
        assert generations() == [1, 2, 2]

    def test_that_is_refused_ends_with_1(self, make, stand_in):
        make()
        stand_in.token = http(401, {"error": "invalid_client"})
        text, code = run("--due")
        assert "ours: 1 refused: staff must act" in text
        assert "ours: 1 not asked: the registration is refused (invalid_client), fix it; staff must act" in text
        assert code == 1

    def test_of_what_is_switched_off_is_said_and_not_asked_for(self, make, stand_in):
        make()
        ClientRegistration.objects.update(is_switched_on=False)
        text, code = run("--due")
        assert text == ("ours: 1 not asked: the registration is switched off; staff must act\nNobody was asked.\n")
        assert (code, stand_in.token_requests) == (0, [])

    @pytest.mark.parametrize("options", [("--due",), ("--due", "--dry-run"), ("--all",), ("--all", "--dry-run")])
    @pytest.mark.parametrize(
        ("columns", "words"),
        [
            ({"trouble": "invalid_client"}, "refused (invalid_client), fix it"),
            ({"token_parameters": "later"}, "one that this release cannot read"),
        ],
    )
    def test_of_what_staff_must_mend_ends_with_1(self, columns, words, options, make, stand_in):
        make()
        ClientRegistration.objects.update(**columns)
        text, code = run(*options)
        assert f"ours: 1 not asked: the registration is {words}; staff must act" in text
        assert (code, stand_in.token_requests) == (1, [])

    def test_of_what_staff_must_mend_is_counted_as_asked_by_no_rehearsal(self, make, stand_in):
        make()
        ClientRegistration.objects.update(trouble="invalid_client")
        assert "Nobody would be asked." in run("--due", "--dry-run")[0]

    def test_is_nobodys_to_mend_where_nobody_is_linked(self, make, stand_in):
        make(due_in=None)
        Connection.objects.update(status="ended")
        ClientRegistration.objects.update(trouble="invalid_client")
        assert run("--due") == ("Nobody was asked.\n", 0)
        assert run("--due", "--dry-run")[1] == 0

    def test_that_is_not_understood_ends_with_1_though_its_registration_is_not_refused(self, make, stand_in):
        make()
        stand_in.token = http(400, {"error": "invalid_request"})
        text, code = run("--due")
        assert text.startswith("ours: 1 failed: their answer or our request was wrong")
        assert (code, ClientRegistration.objects.get().trouble) == (1, "")

    def test_is_only_counted_where_it_is_rehearsed(self, make, stand_in):
        make(), make(due_in=5 * HOUR)
        text, code = run("--due", "--dry-run")
        assert text.splitlines()[1:] == ["ours: 1"]
        assert (code, generations(), stand_in.token_requests) == (0, [1, 1], [])

    def test_is_said_to_be_nothing_where_it_is(self, make, stand_in):
        make(due_in=5 * HOUR)
        assert run("--due", "--dry-run") == ("Nothing was asked and nothing changed. Nobody would be asked.\n", 0)
        assert run("--due") == ("Nobody was asked.\n", 0)


class TestAll:
    def test_are_made_due_and_renewed(self, make, stand_in):
        make(), make(due_in=5 * HOUR), make(due_in=None)
        ended, bare = make(due_in=5 * HOUR), make(due_in=None, refresh_token="")
        Connection.objects.filter(pk=ended.pk).update(status="ended")
        stand_in.token = tokens()
        assert run("--all") == ("2 links were made due.\nours: 3 renewed\n", 0)
        assert generations() == [1, 1, 2, 2, 2]
        assert StoredTokenSet.objects.get(pk=bare.pk).refresh_due_at is None

    def test_keep_their_floor(self, make, stand_in):
        ClientRegistration.objects.update(minimum_refresh_seconds=3600)
        make(due_in=5 * HOUR)
        StoredTokenSet.objects.update(not_before_at=datetime.now(UTC) + HOUR)
        assert run("--all")[1] == 0
        assert (generations(), stand_in.token_requests) == ([1], [])

    def test_of_a_registration_hold_by_a_shorter_window_that_their_provider_announced(self, make, stand_in, place):
        make(due_in=5 * HOUR)
        stand_in.token = tokens()
        ClientRegistration.objects.update(refresh_window_hours=24)
        assert run("--all", "--registration", str(place.registration.pk))[1] == 0
        assert StoredTokenSet.objects.filter(
            refresh_due_at__gt=datetime.now(UTC),
            refresh_due_at__lt=F("refresh_deadline_at"),
            refresh_deadline_at__lt=datetime.now(UTC) + 24 * HOUR,
        ).exists()

    def test_of_one_registration_are_those_of_no_other(self, make, make_registration, stand_in):
        make(due_in=5 * HOUR)
        text, _code = run("--all", "--registration", str(make_registration("Bay gateway").pk))
        assert text.startswith("0 links were made due.")
        assert stand_in.token_requests == []

    def test_of_a_registration_that_is_not_there_are_refused(self, make, stand_in):
        make(due_in=5 * HOUR)
        for name in (str(uuid.uuid4()), "Nowhere gateway", ""):  # the last as of a variable that is not set
            with pytest.raises(CommandError, match="There is no client registration of this id or name"):
                call_command("refresh_tokens", "--all", "--registration", name)
        assert stand_in.token_requests == []

    def test_of_a_registration_are_found_by_its_label(self, make, make_registration, stand_in):
        make(due_in=5 * HOUR)
        make_registration("Bay gateway")
        stand_in.token = tokens()
        assert run("--all", "--registration", "bay GATEWAY")[0].startswith("0 links were made due.")
        assert run("--all", "--registration", "ours") == ("1 link was made due.\nours: 1 renewed\n", 0)

    def test_is_told_of_one_link_as_of_one(self, make, stand_in):
        make(due_in=5 * HOUR)
        stand_in.token = tokens()
        assert run("--all") == ("1 link was made due.\nours: 1 renewed\n", 0)

    def test_are_only_counted_where_it_is_rehearsed(self, make, stand_in):
        make(), make(due_in=5 * HOUR), make(due_in=None)
        text, _code = run("--all", "--dry-run")
        assert text.splitlines()[1:] == ["ours: 3"]
        assert (generations(), stand_in.token_requests) == ([1, 1, 1], [])

    def test_go_on_where_a_step_ended(self, make, monkeypatch, stand_in):
        monkeypatch.setattr("apps.connections.refreshing.early_refreshes._AT_ONCE", 2)
        stand_in.token = tokens()
        for _ in range(5):
            make(due_in=5 * HOUR)
        assert run("--all")[0].startswith("5 links were made due.")

    def test_are_all_of_them_where_the_database_believes_that_there_is_one(self, make, monkeypatch, stand_in):
        """It counts the rows of a table only now and then, and then ran what chooses a step once for each row."""
        monkeypatch.setattr("apps.connections.refreshing.early_refreshes._AT_ONCE", 2)
        stand_in.token = tokens()
        make(due_in=5 * HOUR)
        with database.cursor() as cursor:
            cursor.execute("ANALYZE connections_storedtokenset")
        for _ in range(11):
            make(due_in=5 * HOUR)
        assert run("--all")[0].startswith("12 links were made due.")


class TestItself:
    @pytest.mark.parametrize("options", [("--due",), ("--all",), ("--all", "--dry-run")])
    def test_says_nothing_of_anybody(self, options, make, stand_in, caplog):
        make(), make(due_in=5 * HOUR)
        stand_in.token = http(401, {"error": "invalid_client", "error_description": "refresh-canary"})
        text, _code = run(*options)
        assert "ours" in text
        assert [canary for canary in CANARIES if canary in text + caplog.text] == []

    @pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "0.5"])
    def test_takes_whole_seconds_alone(self, seconds, db):
        with pytest.raises(CommandError, match="not a whole number, or below zero"):
            call_command("refresh_tokens", "--due", f"--seconds={seconds}")

    def test_takes_a_registration_with_all_alone(self, db):
        for name in (str(uuid.uuid4()), ""):
            with pytest.raises(CommandError, match="goes with --all"):
                call_command("refresh_tokens", "--due", "--registration", name)
