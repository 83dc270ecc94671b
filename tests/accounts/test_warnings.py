"""The choices about mail that warns before a connection ends, and the time zone that such mail uses."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from apps.accounts import mailing, preferences, time_zones
from apps.accounts.models import User, WarningChoices
from apps.audit.models import AuditEvent

pytestmark = pytest.mark.django_db
URL = "/settings/warnings/"
AT = datetime(2026, 11, 20, 9, 40, tzinfo=UTC)
OTHERS: dict[str, Any] = {"tells_of_ends": True, "names_providers": True, "tells_of_news": False, "time_zone": ""}


class TestChoices:
    def test_are_the_usual_ones_where_nobody_chose(self, alice: User):
        chosen = preferences.choices_of(alice)
        assert (chosen.hours_before, chosen.tells_of_ends, chosen.names_providers) == ([12], True, False)
        assert not WarningChoices.objects.exists()

    def test_are_to_be_taken_up_whenever_they_change(self, alice: User):
        for at in (AT, timezone.now()):
            preferences.choose(alice, hours_before=[3, 24], **{**OTHERS, "tells_of_ends": False}, at=at)
            row = WarningChoices.objects.get()
            assert (row.user_id, row.hours_before, row.changed_at, row.is_taken_up) == (alice.pk, [24, 3], at, False)
            WarningChoices.objects.update(is_taken_up=True)
        assert AuditEvent.objects.filter(event="user.warnings_chosen", user_id=alice.pk).count() == 2

    def test_have_word_of_what_is_new_only_where_it_was_chosen(self, alice: User):
        assert not preferences.choices_of(alice).tells_of_news
        for tells, at, since in ((False, AT, None), (True, AT, AT), (True, timezone.now(), AT), (False, AT, None)):
            mine = User.objects.get(pk=alice.pk)
            preferences.choose(mine, hours_before=[], **{**OTHERS, "tells_of_news": tells}, at=at)
            row = WarningChoices.objects.get()
            assert (row.tells_of_news, row.news_due_at, row.news_told_until) == (tells, since, since)

    def test_are_among_those_offered(self, alice: User):
        with pytest.raises(ValueError, match="offered"):
            preferences.choose(alice, hours_before=[5], **OTHERS, at=AT)
        assert not WarningChoices.objects.exists()


class TestThePage:
    def test_shows_what_holds(self, alice_client: Client):
        page = alice_client.get(URL)
        assert page.context["form"].initial["hours_before"] == [12]
        text = page.content.decode()
        assert "12 hours before" in text
        assert "alice@example.org" in text

    def test_keeps_what_is_ticked_and_nothing_else(self, alice_client: Client, alice: User, sam: User):
        sent = {"hours_before": ["24", "3"], "names_providers": "on", "time_zone": "America/Denver"}
        assert alice_client.post(URL, sent)["Location"] == URL
        alice.refresh_from_db()
        chosen = preferences.choices_of(alice)
        assert (chosen.hours_before, chosen.tells_of_ends, chosen.names_providers) == ([24, 3], False, True)
        assert alice.time_zone == "America/Denver"
        sam.refresh_from_db()
        assert sam.time_zone == ""
        assert WarningChoices.objects.count() == 1

    def test_offers_word_of_what_is_new_without_a_tick(self, alice_client: Client):
        assert not alice_client.get(URL).context["form"].initial["tells_of_news"]
        alice_client.post(URL, {"tells_of_news": "on"})
        assert WarningChoices.objects.get().tells_of_news
        assert alice_client.get(URL).context["form"].initial["tells_of_news"]
        alice_client.post(URL, {})
        assert not WarningChoices.objects.get().tells_of_news

    def test_takes_no_time_at_all_for_no_mail(self, alice_client: Client, alice: User):
        alice_client.post(URL, {"time_zone": ""})
        assert WarningChoices.objects.get().hours_before == []

    @pytest.mark.parametrize(
        "sent", [{"hours_before": "7"}, {"hours_before": "x"}, {"time_zone": "Mars/Olympus"}, {"time_zone": "../etc"}]
    )
    def test_refuses_what_is_not_offered(self, alice_client: Client, sent: dict[str, str]):
        answer = alice_client.post(URL, sent)
        assert answer.status_code == 422
        assert "There is a problem" in answer.content.decode()
        assert not WarningChoices.objects.exists()

    def test_is_found_from_settings(self, alice_client: Client):
        assert f'href="{URL}"' in alice_client.get(reverse("settings")).content.decode()


class TestATimeZone:
    def test_is_utc_where_none_was_chosen_or_it_is_known_no_more(self):
        assert time_zones.of(User(time_zone="")) is UTC
        assert time_zones.of(User(time_zone="America/Atlantis")) is UTC
        assert time_zones.of(User(time_zone="America/Denver")) == ZoneInfo("America/Denver")

    def test_is_offered_once(self):
        names = [name for _group, zones in time_zones.choices() for name, _words in zones]
        assert len(names) == len(set(names))
        assert {"", "America/New_York", "Europe/Madrid"} <= set(names)

    def test_is_offered_by_one_name_alone(self):
        names = {name for _group, zones in time_zones.choices() for name, _words in zones}
        assert {
            "Europe/Kyiv",
            "Asia/Kolkata",
            "America/Argentina/Buenos_Aires",
            "America/Indiana/Indianapolis",
        } <= names
        assert names.isdisjoint({"Europe/Kiev", "Asia/Calcutta", "America/Buenos_Aires", "America/Indianapolis"})
        assert names.isdisjoint({"America/Shiprock", "America/Atka", "Australia/NSW", "UTC", "EST", "US/Eastern"})

    def test_is_offered_in_the_language_of_its_reader(self):
        with translation.override("es"):
            _none, _united_states, (_elsewhere, others) = time_zones.choices()
        words = dict(others)
        assert words["America/Mexico_City"] == "América, Ciudad de México"
        assert words["Atlantic/Canary"] == "Atlántico, Canarias"
        assert words["America/Argentina/Cordoba"] == "América, Argentina, Córdoba"
        continents = list(dict.fromkeys(said.split(", ")[0] for said in words.values()))
        assert continents == ["África", "América", "Asia", "Atlántico", "Australia", "Europa", "Índico", "Pacífico"]

    def test_is_offered_by_its_old_name_to_whom_chose_it_by_that(self, alice_client: Client, alice: User):
        User.objects.filter(pk=alice.pk).update(time_zone="Europe/Kiev")
        assert '<option value="Europe/Kiev" selected>' in alice_client.get(URL).content.decode()
        assert alice_client.post(URL, {"time_zone": "Europe/Kiev"}).status_code == 302
        assert alice_client.post(URL, {"time_zone": "Europe/Kyiv"}).status_code == 302
        assert "Europe/Kiev" not in alice_client.get(URL).content.decode()
        assert alice_client.post(URL, {"time_zone": "Europe/Kiev"}).status_code == 422
        User.objects.filter(pk=alice.pk).update(time_zone="America/Atlantis")
        assert "America/Atlantis" not in alice_client.get(URL).content.decode()

    def test_holds_on_pages_of_its_owner_and_for_nobody_after(self, alice_client: Client, alice: User):
        assert "(UTC)" in alice_client.get("/accounts/sessions/").content.decode()
        User.objects.filter(pk=alice.pk).update(time_zone="America/Phoenix")
        assert "(MST)" in alice_client.get("/accounts/sessions/").content.decode()
        assert timezone.get_current_timezone_name() == "UTC"

    def test_holds_in_mail_to_its_owner(self, alice: User):
        User.objects.filter(pk=alice.pk).update(time_zone="America/Phoenix")
        mailing.send("accounts/email/new_sign_in", to=alice.email, context={"at": AT, "user_agent": ""})
        assert "on November 20, 2026 at 2:40 a.m. (MST)" in str(mail.outbox[0].body)
