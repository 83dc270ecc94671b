"""Which address a request came from, and who is locked out for guessing."""

from typing import Any

import pytest
from axes.models import AccessAttempt
from django.core import mail
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.urls import reverse

from apps.accounts import lockout
from apps.accounts.models import Session, User
from tests.fixtures.cast import PASSWORD

pytestmark = pytest.mark.django_db

NO_ADDRESS = ["unknown", "_hidden", "unix:", "203.0.113.9, not-an-address", "203.0.113.999", " ", "<script>", "9" * 400]


def sign_in(client: Client, email: str, password: str = PASSWORD, **headers: str) -> Any:
    return client.post(reverse("account_login"), {"login": email, "password": password}, headers=headers)


@pytest.fixture
def behind_a_proxy(settings: Any) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1


@pytest.mark.usefixtures("behind_a_proxy")
class TestTheAddressOfARequest:
    @pytest.mark.parametrize(
        ("header", "address"),
        [
            ("203.0.113.9", "203.0.113.9"),
            ("198.51.100.1, 203.0.113.9", "203.0.113.9"),
            ("203.0.113.9:51234", "203.0.113.9"),
            ("[2001:db8::1]:51234", "2001:db8::1"),
            ("", "127.0.0.1"),
        ],
    )
    def test_is_what_our_own_proxy_says(self, rf: RequestFactory, header: str, address: str):
        assert lockout.client_address(rf.get("/", headers={"X-Forwarded-For": header})) == address

    @pytest.mark.parametrize("header", NO_ADDRESS)
    def test_is_unknown_where_that_is_none(self, rf: RequestFactory, header: str, caplog: Any):
        assert lockout.client_address(rf.get("/", headers={"X-Forwarded-For": header})) is None
        assert "TRUSTED_PROXIES" in caplog.text
        assert header.strip() not in caplog.text or not header.strip()

    def test_is_unknown_where_a_proxy_is_missing(self, rf: RequestFactory, settings: Any):
        settings.ALLAUTH_TRUSTED_PROXY_COUNT = 2
        assert lockout.client_address(rf.get("/", headers={"X-Forwarded-For": "203.0.113.9"})) is None

    def test_is_unknown_over_a_socket_without_a_proxy(self, rf: RequestFactory):
        assert lockout.client_address(rf.get("/", REMOTE_ADDR="")) is None


@pytest.mark.usefixtures("behind_a_proxy")
class TestSomebodyOfAnUnknownAddress:
    @pytest.mark.parametrize("header", NO_ADDRESS)
    def test_signs_in(self, client: Client, alice: User, header: str):
        answer = sign_in(client, alice.email, **{"X-Forwarded-For": header})
        assert (answer.status_code, answer["Location"]) == (302, reverse("home"))
        assert Session.objects.get(user=alice).ip_address is None
        assert "·" not in client.get(reverse("sessions")).content.decode().partition("</main>")[0]

    def test_changes_the_password(self, client: Client, alice: User):
        sign_in(client, alice.email, **{"X-Forwarded-For": "unknown"})
        typed = {"oldpassword": PASSWORD, "password1": "a whole new sentence"}
        client.post(reverse("account_change_password"), typed, headers={"X-Forwarded-For": "unknown"})
        assert mail.outbox[-1].subject == "Your Holdfast password was changed"

    def test_is_counted_with_all_others_of_unknown_address(self, db: None):
        answers = [
            sign_in(Client(), f"person{number}@example.org", "wrong", **{"X-Forwarded-For": f"no address {number}"})
            for number in range(31)
        ]
        assert answers[-1].status_code == 429

    def test_is_locked_out_by_account_however_the_header_changes(self, alice: User):
        for number in range(10):
            cache.key_prefix += str(number)
            sign_in(Client(), alice.email, "wrong", **{"X-Forwarded-For": f"no address {number}"})
        assert sign_in(Client(), alice.email, **{"X-Forwarded-For": "another"}).status_code == 429
        assert set(AccessAttempt.objects.values_list("ip_address", flat=True)) == {lockout.UNKNOWN_ADDRESS}
