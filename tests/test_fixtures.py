"""The things tests share do what their tests believe: the sandbox, the worker, the browser, the cast."""

import time

import pytest
from celery import shared_task
from django.contrib.auth.models import Group
from django.db import transaction

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
