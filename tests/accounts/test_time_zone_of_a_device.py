"""The button that takes over the time zone of the device."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts import preferences
from apps.accounts.models import User, WarningChoices
from apps.audit.models import AuditEvent

pytestmark = pytest.mark.django_db
AT = datetime(2026, 11, 20, 9, 40, tzinfo=UTC)
OTHERS: dict[str, Any] = {"tells_of_ends": False, "names_providers": True, "tells_of_news": True, "time_zone": ""}


class TestTheZoneOfADevice:
    def test_is_kept_for_whoever_pressed_the_button_and_for_nobody_else(self, hers: Client, alice: User, sam: User):
        answer = hers.post(reverse("time_zone"), {"zone": "America/Denver", "next": "/activity/?page=2"})
        assert answer["Location"] == "/activity/?page=2"
        alice.refresh_from_db()
        sam.refresh_from_db()
        assert (alice.time_zone, sam.time_zone) == ("America/Denver", "")

    def test_is_kept_by_an_old_name_as_some_browsers_send_it(self, hers: Client, alice: User):
        hers.post(reverse("time_zone"), {"zone": "Asia/Calcutta"})
        alice.refresh_from_db()
        assert alice.time_zone == "Asia/Calcutta"

    @pytest.mark.parametrize("zone", ["", "Etc/GMT+5", "Mars/Olympus", "../etc/passwd", "America/Denver\x00"])
    def test_leads_to_the_list_where_it_names_no_place_we_know(self, hers: Client, alice: User, zone: str):
        answer = hers.post(reverse("time_zone"), {"zone": zone, "next": "/activity/"}, follow=True)
        assert answer.redirect_chain == [(reverse("warnings"), 302)]
        assert "We do not know the time zone of this device" in answer.content.decode()
        alice.refresh_from_db()
        assert alice.time_zone == ""

    def test_leads_back_to_no_other_site(self, hers: Client):
        for elsewhere in ("https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)", ""):
            answer = hers.post(reverse("time_zone"), {"zone": "America/Denver", "next": elsewhere})
            assert answer["Location"] == reverse("home")

    def test_is_taken_from_nobody_who_is_not_signed_in(self, client: Client, alice: User):
        assert client.post(reverse("time_zone"), {"zone": "America/Denver"})["Location"].startswith("/accounts/login/")
        assert client.get(reverse("time_zone")).status_code in {302, 405}
        alice.refresh_from_db()
        assert alice.time_zone == ""

    def test_changes_no_other_choice_and_has_mail_planned_anew(self, alice: User):
        preferences.choose(alice, hours_before=[3], **OTHERS, at=AT)
        WarningChoices.objects.update(is_taken_up=True)
        preferences.choose_time_zone(alice, "Pacific/Guam", at=AT)
        kept = WarningChoices.objects.get()
        assert (kept.hours_before, kept.tells_of_ends, kept.names_providers) == ([3], False, True)
        assert (kept.tells_of_news, kept.news_due_at, kept.is_taken_up) == (True, AT, False)
        assert AuditEvent.objects.filter(event="user.warnings_chosen", user_id=alice.pk).count() == 2

    def test_leaves_the_usual_choices_to_whoever_never_chose(self, alice: User):
        preferences.choose_time_zone(alice, "Pacific/Guam", at=AT)
        kept = WarningChoices.objects.get()
        assert (kept.hours_before, kept.tells_of_ends, kept.tells_of_news) == ([12], True, False)
