"""Signing keys in the admin: what each is used for now, what comes next, what to copy; and switching to a key by
hand."""

import html
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.directory import published_keys, rotating, signing
from apps.directory.models import ClientRegistration, SigningKey
from tests.directory.key_holders import ACTOR, registered

pytestmark = pytest.mark.django_db

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
KEYS = "/admin/directory/signingkey/"
REGISTRATIONS = "/admin/directory/clientregistration/"


def text(answer) -> str:
    assert answer.status_code == 200
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


@pytest.fixture
def keys(db) -> list[SigningKey]:
    """An old one and its successor, which does not sign yet."""
    now = timezone.now()
    old = signing.make(actor=ACTOR, at=now - timedelta(days=90))
    return [old, signing.make(actor=ACTOR, at=now)]


class TestTheListOfKeys:
    def test_says_of_each_what_it_is_for_now_and_what_comes_next(self, staff, keys):
        registered(keys[0])
        shown = text(staff.get(KEYS))
        assert f"Registrations move to {keys[1].kid} from" in shown
        assert "published, not signing yet" in shown
        signing.give_up(keys[0], actor=ACTOR, at=timezone.now())
        assert "Its private half is gone." in text(staff.get(KEYS))

    def test_is_asked_for_those_in_one_state(self, staff, keys):
        signing.give_up(keys[0], actor=ACTOR, at=timezone.now())
        assert "What state is it in?" in text(staff.get(KEYS))
        shown = text(staff.get(f"{KEYS}?state=retired"))
        assert keys[0].kid[:11] in shown
        assert keys[1].kid[:11] not in shown
        assert keys[1].kid[:11] in text(staff.get(f"{KEYS}?state=published"))


class TestThePageOfAKey:
    def test_has_nothing_to_save(self, staff, keys):
        shown = staff.get(f"{KEYS}{keys[0].pk}/change/").content.decode()
        assert 'name="_save"' not in shown
        assert 'name="_save"' in staff.get(f"{KEYS}add/").content.decode()

    def test_shows_what_to_copy(self, staff, keys):
        shown = html.unescape(staff.get(f"{KEYS}{keys[1].pk}/change/").content.decode())
        assert "http://testserver/.well-known/jwks.json" in shown
        assert published_keys.key_set().body.decode() in shown

    def test_names_the_registrations_that_use_it(self, staff, keys):
        fetching = registered(keys[0], label="Willow Creek")
        copying = registered(keys[0], label="<b>Riverside</b>", key_set_is_fetched=False)
        registered(keys[0], label="gone", status="retired")
        page = staff.get(f"{KEYS}{keys[0].pk}/change/")
        shown = text(page)
        assert "Willow Creek: its provider reads our key set at its address" in shown
        assert "&lt;b&gt;Riverside&lt;/b&gt;: its provider holds an uploaded copy" in page.content.decode()
        for row in (fetching, copying):
            assert f'href="{REGISTRATIONS}{row.pk}/change/"' in page.content.decode()
        assert "gone" not in shown
        assert "no client registration" in text(staff.get(f"{KEYS}{keys[1].pk}/change/"))


class TestTheProviderHasTheNewKey:
    def act(self, browser: Client, *rows: ClientRegistration, **fields: str):
        chosen = [str(row.pk) for row in rows]
        given = {"action": "provider_has_new_key", "_selected_action": chosen, **fields}
        return browser.post(REGISTRATIONS, given, follow=True)

    @pytest.fixture
    def registration(self, keys) -> ClientRegistration:
        return registered(keys[0], label="Riverside", key_set_is_fetched=False)

    def test_is_asked_with_the_key_named_before_anything_is_done(self, staff, keys, registration):
        shown = self.act(staff, registration)
        assert "Does the provider have the new key?" in text(shown)
        assert f"{keys[1]}" in text(shown)
        assert f'name="key-{registration.pk}" value="{keys[1].pk}"' in shown.content.decode()
        assert ClientRegistration.objects.get().signing_key == keys[0]

    def test_moves_the_registration_once_it_is_confirmed(self, staff, stella, keys, registration):
        answer = self.act(staff, registration, confirmed="yes", **{f"key-{registration.pk}": str(keys[1].pk)})
        assert "1 registration signs with the new key." in text(answer)
        assert ClientRegistration.objects.get().signing_key == keys[1]
        event = AuditEvent.objects.get(facts__action="given another key")
        assert (event.actor_id, event.subject_id) == (stella.pk, str(registration.pk))

    def test_moves_it_to_the_key_that_was_shown_and_no_other(self, staff, keys, registration):
        signing.supersede(keys[1], actor=ACTOR, at=timezone.now())
        signing.make(actor=ACTOR, at=timezone.now())
        answer = self.act(staff, registration, confirmed="yes", **{f"key-{registration.pk}": str(keys[1].pk)})
        assert "that key is no longer the next one" in text(answer)
        assert ClientRegistration.objects.get().signing_key == keys[0]

    @pytest.mark.parametrize("written", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
    def test_does_nothing_without_a_key(self, staff, keys, registration, written):
        self.act(staff, registration, confirmed="yes", **{f"key-{registration.pk}": written})
        assert ClientRegistration.objects.get().signing_key == keys[0]

    def test_is_no_question_where_the_provider_reads_our_keys_itself(self, staff, keys, registration):
        ClientRegistration.objects.update(key_set_is_fetched=True)
        assert "None of them is waiting for a new key" in text(self.act(staff, registration))
        self.act(staff, registration, confirmed="yes", **{f"key-{registration.pk}": str(keys[1].pk)})
        assert ClientRegistration.objects.get().signing_key == keys[0]

    def test_can_be_asked_of_the_list(self, staff, keys, registration):
        registered(keys[0], label="Willow Creek")
        shown = text(staff.get(f"{REGISTRATIONS}?needs_key=yes"))
        assert "Does its provider need our new key?" in shown
        assert "Riverside" in shown
        assert "Willow Creek" not in shown

    def test_is_for_staff(self, alice, keys, registration):
        stranger = Client()
        fields = {f"key-{registration.pk}": str(keys[1].pk), "confirmed": "yes"}
        for _ in range(2):
            assert "/admin/login/" in self.act(stranger, registration, **fields).redirect_chain[0][0]
            stranger.force_login(alice, backend=BACKEND)
        assert ClientRegistration.objects.get().signing_key == keys[0]

    def test_is_for_those_of_staff_who_may_change_registrations(self, make_user, keys, registration):
        looker = make_user("looker@example.org", is_staff=True)
        browser = Client()
        browser.force_login(looker, backend=BACKEND)
        given = {"action": "provider_has_new_key", "_selected_action": [str(registration.pk)], "confirmed": "yes"}
        assert browser.post(REGISTRATIONS, {**given, f"key-{registration.pk}": str(keys[1].pk)}).status_code == 403
        assert rotating.waits_for_staff(ClientRegistration.objects.get())


class TestTakingAKeyOutOfUse:
    def test_says_until_when_it_stays_published(self, staff, keys):
        given = {"action": "supersede", "_selected_action": [str(keys[0].pk)]}
        shown = text(staff.post(KEYS, given, follow=True))
        assert f"{keys[0]}: It is retired on" in shown
        assert SigningKey.objects.get(pk=keys[0].pk).retired_at is None


class TestTheFormOfARegistration:
    @pytest.mark.parametrize("is_fetched", [True, False])
    def test_takes_no_key_that_a_provider_may_not_know(self, staff, keys, is_fetched):
        registration = registered(keys[0], minimum_refresh_seconds=60)
        fields = {
            "label": "ours", "client_id": "holdfast", "authentication": "private_key_jwt", "versions_added": "r4",
            "signing_key": str(keys[1].pk), "smart_version": "v1", "refresh_scope": "", "scope": "",
            "uses_pkce": "on", "sends_state": "unknown", "sends_aud": "unknown",
            **({"key_set_is_fetched": "on"} if is_fetched else {}),
        }  # fmt: skip
        answer = staff.post(f"{REGISTRATIONS}{registration.pk}/change/", fields)
        assert ("may not know this key before" in answer.content.decode()) is is_fetched
        assert ClientRegistration.objects.get().signing_key == keys[0 if is_fetched else 1]

    def test_offers_no_key_that_is_leaving(self, staff, keys):
        registration = registered(keys[1])
        signing.supersede(keys[0], actor=ACTOR, at=timezone.now())
        shown = staff.get(f"{REGISTRATIONS}{registration.pk}/change/").content.decode()
        assert str(keys[1].pk) in shown
        assert str(keys[0].pk) not in shown
