"""Choosing the language."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User

pytestmark = pytest.mark.django_db


class TestTheLanguage:
    def test_is_kept_for_somebody_signed_in(self, alice: User, sam: User, signed_in: Callable[[User], Client]):
        client = signed_in(alice)
        client.post(reverse("set_language"), {"language": "es"})
        alice.refresh_from_db()
        sam.refresh_from_db()
        assert (alice.language, sam.language) == ("es", "en")
        assert '<html lang="es">' in client.get(reverse("settings")).content.decode()

    def test_is_kept_in_the_browser_for_a_stranger(self, client: Client):
        client.post(reverse("set_language"), {"language": "es"})
        assert '<html lang="es">' in client.get(reverse("help")).content.decode()

    @pytest.mark.parametrize("language", ["xx", "de", "en-aaaaaaaaaaaaaaaaaaaa", ""])
    def test_is_one_of_ours(self, alice: User, signed_in: Callable[[User], Client], language: str):
        signed_in(alice).post(reverse("set_language"), {"language": language})
        alice.refresh_from_db()
        assert alice.language == "en"

    def test_is_offered_at_the_foot_of_a_page_unless_the_page_is_in_it(self, client: Client, settings: Any):
        settings.LANGUAGES = [*settings.LANGUAGES, ("fr", "French")]
        client.post(reverse("set_language"), {"language": "es"})
        _above, _tag, foot = client.get(reverse("help")).content.decode().partition('<footer class="site-footer">')
        offered = re.findall(r'<button .*? name="language" value="(\w+)" lang="\1">(\w+)</button>', foot)
        assert offered == [("en", "English"), ("fr", "Français")]

    def test_brings_people_back_to_where_they_were(self, client: Client):
        answer = client.post(
            reverse("set_language"), {"language": "es"}, headers={"Referer": "http://testserver/help/"}
        )
        assert answer["Location"] == "http://testserver/help/"

    @pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/"])
    def test_never_leads_to_another_site(self, client: Client, elsewhere: str):
        assert client.post(reverse("set_language"), {"language": "es", "next": elsewhere})["Location"] == "/"

    def test_is_not_changed_by_a_link(self, client: Client):
        assert client.get(reverse("set_language")).status_code == 405
