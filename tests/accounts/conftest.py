"""What tests of accounts share: fresh counters of attempts, signed-in clients, and codes from the mailbox."""

import re
import uuid
from collections.abc import Callable, Iterator

import pytest
from django.core import mail
from django.core.cache import cache, caches
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from tests.fixtures.cast import PASSWORD, gave_password

ALLAUTH = "allauth.account.auth_backends.AuthenticationBackend"
CODE = re.compile(r"^([A-Z0-9]{3,}-[A-Z0-9]{3,})$", re.MULTILINE)


@pytest.fixture(autouse=True)
def _fresh_counters(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tries are counted in the cache, which outlives a test: each test counts under a prefix of its own, and so does
    each thread that it starts."""
    before, cache.key_prefix = cache.key_prefix, uuid.uuid4().hex
    monkeypatch.setitem(caches.settings["default"], "KEY_PREFIX", cache.key_prefix)
    yield
    cache.key_prefix = before


@pytest.fixture
def signed_in() -> "Callable[[User], Client]":
    """A browser in which the given person signed in a moment ago."""

    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user, backend=ALLAUTH)
        gave_password(client, user)
        return client

    return sign_in


@pytest.fixture
def alice_client(client: Client, alice: User) -> Client:
    """Alice, who signed in with her password and gave it once more, as changes of the account ask."""
    client.post(reverse("account_login"), {"login": alice.email, "password": PASSWORD})
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    mail.outbox.clear()
    return client


@pytest.fixture
def mailed_code() -> Callable[[], str]:
    """The code in the last mail."""

    def read() -> str:
        found = CODE.search(str(mail.outbox[-1].body))
        assert found, "there is no code in the last mail"
        return found.group(1)

    return read
