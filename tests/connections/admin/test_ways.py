"""Links between pages of the admin: what staff need while somebody is on the telephone is one click away."""

import re
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.recording import Actor, EventType
from apps.connections import connection_events
from tests.connections.conftest import BACKEND

pytestmark = pytest.mark.django_db


def page_of(row: Any) -> str:
    return reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_change", args=[row.pk])


def way(browser: Client, row: Any, words: str) -> str:
    """Where a page leads by a link of these words; empty where it has none."""
    found = re.search(rf'<a href="([^"]*)">{words}</a>', browser.get(page_of(row)).content.decode())
    return unescape(found[1]) if found else ""


def shown(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


class TestAnAccountsPage:
    def test_leads_to_its_failed_sign_ins_and_no_others(self, staff: Client, alice: User, sam: User):
        for user, network in ((alice, "203.0.113.7"), (sam, "203.0.113.9")):
            at = timezone.now()
            AccessAttempt.objects.create(
                username=user.email, ip_address=network, attempt_time=at, failures_since_start=3
            )
        text = shown(staff, way(staff, alice, "Their access attempts"))
        assert "203.0.113.7" in text
        assert "203.0.113.9" not in text

    def test_leads_to_what_happened_to_it_and_to_nobody_else(self, staff: Client, alice: User, sam: User, make_link):
        mine, other = make_link(user=alice), make_link(user=sam)
        for link in (mine, other):
            connection_events.note_connection(
                EventType.CONNECTION_CONFIRMED, link, at=timezone.now(), actor=Actor.system("beat")
            )
        text = shown(staff, way(staff, alice, "What happened to them"))
        assert str(mine.pk) in text
        assert str(other.pk) not in text


class TestALinksPage:
    def test_leads_to_whose_it_is(self, staff: Client, alice: User, make_link):
        assert way(staff, make_link(user=alice), "Its user") == page_of(alice)


class TestAnEndpointsAndARegistrationsPage:
    @pytest.mark.parametrize("column", ["endpoint", "registration"])
    def test_lead_to_its_links_and_no_others(self, staff: Client, make_link, make_registration, column: str):
        mine, other = make_link(), make_link(make_registration("Another"))
        text = shown(staff, way(staff, getattr(mine, column), "Its links"))
        assert str(mine.pk) in text
        assert str(other.pk) not in text


class TestAWay:
    def test_is_shown_to_nobody_who_may_not_go_it(self, make_user, alice: User, make_link):
        clerk = make_user(f"{uuid4()}@example.org", is_staff=True)
        browser = Client()
        pages = {"user": alice, "connection": make_link(user=alice), "endpoint": make_link().endpoint}
        for name, row in pages.items():
            clerk.user_permissions.set(Permission.objects.filter(codename=f"view_{name}"))
            browser.force_login(clerk, backend=BACKEND)
            text = shown(browser, page_of(row))
            assert not re.search(r">(Their [a-z ]+|What happened to them|Its links|Its user)</a>", text)
