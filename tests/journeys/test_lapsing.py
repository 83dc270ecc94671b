"""A link that only its patient can prolong, from its first minute to the sign-in that repairs it, in a real browser."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection as database
from django.utils import timezone
from playwright.sync_api import Page, expect

from apps.connections import refreshing, tasks
from apps.connections.models import Connection, LapseWarning, StoredTokenSet
from apps.records.models import Record, SyncRun
from development.control import Sandbox
from tests.fixtures.cast import PASSWORD
from tests.journeys.walking import PROVIDER, Walk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
HOUR = timedelta(hours=1)
AGING = (Connection, StoredTokenSet, LapseWarning, SyncRun)


def pass_time(sandbox: Sandbox, by: timedelta) -> None:
    """Both clocks move: the sandbox's by itself, and ours by making everything that was kept older."""
    sandbox.post("/control/clock", move_seconds=int(by.total_seconds()))
    with database.cursor() as cursor:
        for model in AGING:
            columns = [
                field.column for field in model._meta.concrete_fields if field.get_internal_type() == "DateTimeField"
            ]
            older = ", ".join(f"{column} = {column} - make_interval(secs => %(seconds)s)" for column in columns)
            cursor.execute(f"UPDATE {model._meta.db_table} SET {older}", {"seconds": by.total_seconds()})


class TestALinkThatEnds:
    def test_is_warned_of_lapses_and_is_repaired_from_the_mail(
        self,
        site: str,
        sandbox: Sandbox,
        new_page: Callable[..., Page],
        signed_in: Callable[[Page], None],
        assert_accessible: Callable[[Page], None],
    ) -> None:
        page = new_page(width=360)
        signed_in(page)
        walk = Walk(page, site, see=assert_accessible)
        walk.link("r4")
        linked = Connection.objects.get()
        kept = set(Record.objects.values_list("pk", flat=True))
        assert kept

        # the first refresh shows that this server does not rotate: from then on the end is known
        pass_time(sandbox, 3 * HOUR)
        refreshing.usable_token(Connection.objects.get(), at=timezone.now())
        ends_at = Connection.objects.get().lapses_at
        assert ends_at is not None
        assert timedelta(hours=44) < ends_at - timezone.now() < timedelta(hours=46)
        walk.to("/")
        expect(page.get_by_role("main")).to_contain_text("Sign in again by")
        expect(page.get_by_role("heading", name="Needs you")).to_have_count(0)

        # half a day before, by the usual choices
        mail.outbox.clear()  # word of her own sign-in
        tasks.warn_of_ends()
        assert mail.outbox == []
        pass_time(sandbox, LapseWarning.objects.get().due_at - timezone.now())
        tasks.warn_of_ends()
        (message,) = mail.outbox
        assert PROVIDER not in message.message().as_string()
        walk.to("/")
        expect(page.get_by_role("heading", name="Needs you")).to_be_visible()

        # nobody signs in: the link ends, and says what is kept
        lapses_at = Connection.objects.get().lapses_at
        assert lapses_at is not None
        pass_time(sandbox, lapses_at - timezone.now() + HOUR)
        tasks.warn_of_ends()
        assert Connection.objects.get().status == Connection.Status.NEEDS_REAUTHORIZATION
        assert len(mail.outbox) == 1

        # from the mail's link, in another browser that knows nobody
        address = re.findall(r"https?://\S+", str(message.body))[0]
        assert address == f"{site}/connections/{linked.pk}/"
        later = new_page(width=1280)
        later.goto(address)
        later.get_by_label("E-mail address").fill("alice@example.org")
        later.get_by_label("Password", exact=True).fill(PASSWORD)
        later.get_by_role("button", name="Sign in", exact=True).click()
        repair = Walk(later, site, see=assert_accessible)
        repair.expect_heading(f"Connection to {PROVIDER}")
        expect(later.get_by_role("main")).to_contain_text("Everything we had until then is still here.")
        repair.press("Sign in again")
        repair.expect_heading(f"You are about to sign in at {PROVIDER}")
        expect(later.get_by_role("main")).to_contain_text("does not let us renew it")
        repair.leave()
        repair.sign_in_there("ruth")
        repair.allow_there()
        repair.expect_heading(f"{PROVIDER} is connected")

        repaired = Connection.objects.get()
        assert (repaired.pk, repaired.status) == (linked.pk, Connection.Status.ACTIVE)
        assert repaired.lapses_at is not None
        assert repaired.lapses_at > timezone.now() + timedelta(hours=47)
        assert kept <= set(Record.objects.values_list("pk", flat=True))
        repair.to("/")
        expect(later.get_by_role("heading", name="Needs you")).to_have_count(0)
        repair.to("/activity/")
        for said in ("Reminder sent by e-mail", "New sign-in needed: the provider's time limit passed"):
            expect(later.get_by_role("main")).to_contain_text(said)
