"""A provider holds an uploaded copy of our keys: staff say at the desk that it has the new one."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import rotating, signing
from apps.directory.models import ClientRegistration, Endpoint, SigningKey
from tests.portal.desk.conftest import BACKEND, forget_password, states

pytestmark = pytest.mark.django_db(transaction=True)

ACTOR = Actor.system("test")
BUTTON = "They have the new key"


@pytest.fixture
def registration(make_endpoint: Callable[..., Endpoint], begin: Any) -> ClientRegistration:
    """Approved at a console that holds a copy of our only key."""
    row: ClientRegistration = begin(make_endpoint("smart"))
    key = signing.make(actor=ACTOR, at=timezone.now() - timedelta(days=30))
    ClientRegistration.objects.filter(pk=row.pk).update(
        client_id="holdfast", authentication="private_key_jwt", key_set_is_fetched=False, signing_key=key,
        status="approved", versions_added=["r4"], is_switched_on=True,
    )  # fmt: skip
    row.refresh_from_db()
    return row


@pytest.fixture
def newer(registration: ClientRegistration) -> SigningKey:
    return signing.make(actor=ACTOR, at=timezone.now())


def page_of(browser: Client, registration: ClientRegistration) -> str:
    return browser.get(f"/desk/registrations/{registration.pk}/?step=proof").content.decode()


class TestANewKey:
    def test_is_shown_with_a_button_only_where_they_lack_it(
        self, staff: Client, registration: ClientRegistration
    ) -> None:
        assert BUTTON not in page_of(staff, registration)
        assert "They lack our new key" not in staff.get("/desk/").content.decode()
        newer = signing.make(actor=ACTOR, at=timezone.now())
        page = page_of(staff, registration)
        assert BUTTON in page
        assert newer.kid in page
        assert "They keep a copy of what is at this address" in page
        assert ("Store the secret, or register our key", "To do now") in states(page)
        assert "They lack our new key" in staff.get("/desk/").content.decode()

    def test_signs_once_staff_say_that_they_have_it(
        self, staff: Client, registration: ClientRegistration, newer: SigningKey, take: Any
    ) -> None:
        assert take(registration, "key-handed-over", key=str(newer.pk)).status_code == 303
        assert registration.signing_key == newer
        assert BUTTON not in page_of(staff, registration)

    def test_is_shown_where_the_old_one_was_given_up(
        self, staff: Client, registration: ClientRegistration, take: Any
    ) -> None:
        assert registration.signing_key is not None
        given_up = rotating.give_up(registration.signing_key, actor=ACTOR, at=timezone.now())
        assert given_up.successor is not None
        page = page_of(staff, registration)
        assert "We no longer have a key for them" in page
        assert given_up.successor.kid in page
        take(registration, "key-handed-over", key=str(given_up.successor.pk))
        assert registration.signing_key == given_up.successor

    def test_is_taken_only_if_it_is_the_one_that_was_shown(
        self, staff: Client, registration: ClientRegistration, newer: SigningKey, take: Any
    ) -> None:
        old = registration.signing_key
        assert old is not None
        for wrong, words in ((str(old.pk), "that step is not possible now"), ("none", "no longer the next one")):
            take(registration, "key-handed-over", key=wrong)
            assert words in staff.get(f"/desk/registrations/{registration.pk}/").content.decode()
            assert registration.signing_key == old

    def test_wants_a_password_given_lately(
        self, staff: Client, registration: ClientRegistration, newer: SigningKey, take: Any
    ) -> None:
        forget_password(staff)
        page = page_of(staff, registration)
        assert BUTTON not in page
        assert "Enter your password again before you say that they have it." in page
        take(registration, "key-handed-over", key=str(newer.pk))
        assert registration.signing_key != newer

    def test_is_none_of_a_patients_business(
        self, sam: Any, registration: ClientRegistration, newer: SigningKey
    ) -> None:
        patient = Client()
        patient.force_login(sam, backend=BACKEND)
        for browser in (patient, Client()):
            address = f"/desk/registrations/{registration.pk}/key-handed-over/"
            assert browser.post(address, {"key": str(newer.pk)}).status_code in {302, 404}
        registration.refresh_from_db()
        assert registration.signing_key != newer
