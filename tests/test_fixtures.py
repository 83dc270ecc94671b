"""The shared fixtures do what tests assume of them: the sandbox, the worker, the browser, the cast."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from celery import shared_task
from django.contrib.auth.models import Group, Permission
from django.db import connections, transaction
from django.utils import timezone, translation

from apps.accounts.models import User
from apps.audit.models import AuditEvent
from tests.fixtures import emptying
from tests.fixtures.browser import Complaints


@shared_task(name="tests.make_group")
def make_group(*, name):
    Group.objects.create(name=name)


class TestTheSandbox:
    def test_is_as_after_a_reset(self, sandbox):
        sandbox.post("/control/switches", rotation="on")
        sandbox.post("/control/reset")
        assert sandbox.get("/control/state")["recorded"] == 0
        assert sandbox.get("/control/switches")["rotation"]["value"] == "off"


class TestTheWorker:
    def test_does_what_was_enqueued_on_commit_in_the_tests_database(self, worker):
        with transaction.atomic():
            transaction.on_commit(lambda: make_group.delay(name="made by the worker"))
        deadline = time.monotonic() + 20
        while not Group.objects.filter(name="made by the worker").exists():
            assert time.monotonic() < deadline, "the worker did nothing"
            time.sleep(0.05)


@pytest.mark.django_db(transaction=True)
class TestTheDatabase:
    @pytest.fixture
    def before(self):
        return emptying.contents(emptying.filled())

    def test_is_as_before_after_a_test_that_committed(self, before, alice, stella):
        Group.objects.create(name="hers").user_set.add(alice)
        AuditEvent.objects.create(at=timezone.now(), event="account.signed_in", actor_kind="user", actor_id=alice.pk)
        assert len(emptying.filled()) > len(before) + 4
        assert emptying.emptied(before)
        assert emptying.contents(emptying.filled()) == before

    @pytest.mark.parametrize("rows", [1_000, 1_001], ids=["few", "many"])
    def test_is_left_to_django_where_rows_are_many(self, before, rows):
        Group.objects.bulk_create(Group(name=f"group {number}") for number in range(rows))
        assert emptying.emptied(before) is (rows == 1_000)
        assert Group.objects.count() in {0, 1_001}

    def test_is_left_to_django_where_what_migrations_made_was_changed(self, before, alice):
        changed = Permission.objects.order_by("pk")[:1]
        Permission.objects.filter(pk__in=changed).update(name="changed")
        assert not emptying.emptied(before)
        assert User.objects.exists()

    def test_waits_for_what_a_thread_is_writing_and_empties_that_too(self, before):
        written, may_commit = threading.Event(), threading.Event()

        def write() -> None:
            with transaction.atomic():
                Group.objects.create(name="late")
                written.set()
                assert may_commit.wait(10)
            connections.close_all()

        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(write)
            assert written.wait(10)
            threading.Timer(0.3, may_commit.set).start()
            assert emptying.emptied(before)
            writing.result()
        assert not Group.objects.exists()


@pytest.mark.browser
class TestThePage:
    def test_opens_the_site(self, page, live_server):
        page.goto(f"{live_server.url}/")
        assert page.locator("h1").count() == 1

    @pytest.mark.parametrize(
        ("body", "complaint"),
        [
            ("<script>throw new Error('lost')</script>", "script"),
            ("<script>console.error('bad')</script>", "console"),
            ("<img src='http://192.0.2.1/pixel.gif'>", "another machine"),
            (
                "<meta http-equiv='Content-Security-Policy' content=\"style-src 'none'\"><p style='color:red'>",
                "console",
            ),
        ],
    )
    def test_is_failed_by_what_a_page_must_not_do(self, browser, body, complaint):
        context = browser.new_context()
        complaints = Complaints(context)
        page = context.new_page()
        page.route(
            "**/*", lambda route: route.fulfill(body=f"<!doctype html><title>t</title>{body}", content_type="text/html")
        )
        page.goto("http://127.0.0.1/")
        page.wait_for_timeout(200)
        context.close()
        assert any(complaint in line for line in complaints.lines)


class TestTheCast:
    def test_are_three_different_people(self, alice, sam, stella):
        assert len({alice.pk, sam.pk, stella.pk}) == 3
        assert [person.is_staff for person in (alice, sam, stella)] == [False, False, True]


class TestTheLanguage:
    @pytest.mark.parametrize("number", [1, 2])  # one of the two is after the other, or has another process
    def test_is_that_of_no_page_of_another_test(self, client, number):
        assert translation.get_language() == "en", number
        client.get("/help/", headers={"Accept-Language": "es"})
        assert translation.get_language() == "es"
