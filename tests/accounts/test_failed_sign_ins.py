"""Wrong passwords and codes are in the audit log if the account exists, and a flood of them does not fill it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.accounts import failed_sign_ins
from apps.accounts.failed_sign_ins import Method
from apps.accounts.models import User
from apps.audit.models import AuditEvent
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
TYPED = "CANARY is what somebody typed"


@pytest.fixture(autouse=True)
def _standing_clock() -> Iterator[None]:
    with time_machine.travel(NOON, tick=False):
        yield


def sign_in(email: str, password: str = TYPED, number: int = 1) -> Any:
    client = Client(REMOTE_ADDR=f"198.51.{number // 250}.{number % 250 + 1}")
    return client.post(reverse("account_login"), {"login": email, "password": password})


def written() -> list[tuple[str, object]]:
    """What the log says of refusals: each event with the method it names."""
    rows = AuditEvent.objects.filter(event__in=["user.sign_in_failed", "user.locked_out"]).order_by("pk")
    return [(row.event, row.facts.get("method")) for row in rows]


class TestAWrongPassword:
    def test_is_written_down_about_its_account(self, alice: User):
        sign_in(alice.email.upper())
        event = AuditEvent.objects.get(event="user.sign_in_failed")
        assert (event.user_id, event.subject_id, event.at) == (alice.pk, str(alice.pk), NOON)
        assert (event.actor_kind, event.actor_id, event.actor_name) == ("system", None, "sign-in")
        assert event.facts == {"method": "password"}

    def test_leaves_nothing_of_what_was_typed(self, alice: User):
        sign_in(alice.email)
        sign_in(TYPED.replace(" ", ".") + "@example.org", PASSWORD)
        assert "CANARY" not in str(list(AuditEvent.objects.values()))

    def test_leaves_nothing_where_there_is_no_such_account(self, alice: User):
        sign_in("nobody@example.org")
        sign_in("")
        sign_in("\0")
        assert written() == []

    def test_is_one_line_however_many_there_are(self, alice: User):
        for number in range(8):
            sign_in(alice.email, number=number)
        assert written() == [("user.sign_in_failed", "password")]

    def test_is_a_line_again_after_the_cool_off_time(self, alice: User):
        for minutes in (0, 29, 30):
            with time_machine.travel(NOON + timedelta(minutes=minutes), tick=False):
                sign_in(alice.email, number=minutes)
        assert len(written()) == 2

    def test_of_one_account_does_not_hide_that_of_another(self, alice: User, sam: User):
        sign_in(alice.email)
        sign_in(sam.email)
        assert set(AuditEvent.objects.values_list("user_id", flat=True)) == {alice.pk, sam.pk}

    def test_in_a_browser_that_is_signed_in_says_so(self, alice_client: Client):
        alice_client.post(reverse("account_reauthenticate"), {"password": TYPED})
        assert written() == [("user.sign_in_failed", "password again")]

    def test_is_committed_with_its_count(self, alice: User):
        """A commit of its own would tell by its time which addresses have accounts."""
        with CaptureQueriesContext(connection) as queries:
            sign_in(alice.email)
        depth, commit, commits = 0, 0, {}
        for sql in (query["sql"] for query in queries):
            depth += sql.startswith("SAVEPOINT") - sql.startswith("RELEASE")
            commit += depth == 0
            for table in ("axes_accessattempt", "audit_auditevent"):
                if sql.startswith(f'INSERT INTO "{table}"'):
                    commits[table] = commit
        assert len(commits) == 2
        assert len(set(commits.values())) == 1


class TestALockOut:
    def test_is_written_down_once(self, alice: User, settings: Any):
        settings.AXES_FAILURE_LIMIT = 3
        for _time in range(5):
            sign_in(alice.email)
        assert written() == [("user.sign_in_failed", "password"), ("user.locked_out", None)]

    def test_of_a_whole_account_is_one_line_from_however_many_addresses(self, alice: User, settings: Any):
        settings.GUESSING_FAILURE_LIMIT = 6
        for number in range(12):
            sign_in(alice.email, number=number)
        assert written() == [("user.sign_in_failed", "password"), ("user.locked_out", None)]

    def test_of_an_address_without_account_leaves_nothing(self, alice: User, settings: Any):
        settings.AXES_FAILURE_LIMIT = 3
        for _time in range(5):
            sign_in("nobody@example.org")
        assert written() == []


class TestAWrongCode:
    @pytest.fixture
    def second_step(self, alice: User) -> None:
        TOTP.activate(alice, generate_totp_secret())

    @pytest.mark.usefixtures("second_step")
    def test_after_the_right_password_says_that_it_was_right(self, alice: User):
        client = Client()
        client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        for _time in range(3):
            client.post(reverse("mfa_authenticate"), {"code": "000000"})
        assert written() == [("user.sign_in_failed", "code")]

    @pytest.mark.usefixtures("second_step")
    def test_is_not_hidden_by_a_wrong_password_before(self, alice: User):
        sign_in(alice.email)
        client = Client()
        client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
        client.post(reverse("mfa_authenticate"), {"code": "000000"})
        assert written() == [("user.sign_in_failed", "password"), ("user.sign_in_failed", "code")]

    @pytest.mark.usefixtures("second_step")
    def test_in_a_browser_that_is_signed_in_says_so(self, alice: User, signed_in: Callable[[User], Client]):
        signed_in(alice).post(reverse("mfa_reauthenticate"), {"code": "000000"})
        assert written() == [("user.sign_in_failed", "code again")]


class TestWhoReadsIt:
    def test_is_its_owner_under_activity(self, alice: User, sam: User, signed_in: Callable[[User], Client]):
        failed_sign_ins.note_failure(alice, Method.CODE, at=NOON)
        failed_sign_ins.note_lockout(alice, at=NOON)
        pages = [signed_in(user).get(reverse("activity")).content.decode() for user in (alice, sam)]
        for words in ("the code after it was wrong", "Locked out after wrong passwords", "Someone: you, if you"):
            assert words in pages[0]
            assert words not in pages[1]

    def test_is_staff_in_the_admin(self, alice: User, staff: Client):
        sign_in(alice.email)
        assert "Wrong password or code" in staff.get(reverse("admin:audit_auditevent_changelist")).content.decode()
