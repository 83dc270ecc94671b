"""A patient in one browser of the site, all of whose answers are kept; and the provider to which they go."""

import re
import time
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.test import Client

from apps.connections.models import Connection
from apps.directory import registering
from apps.directory.models import ClientRegistration, Endpoint, Provider
from tests.faults.practice import Visit
from tests.fixtures.sandbox import Sandbox

SITE = "http://127.0.0.1:8000"  # nobody listens there: a test goes on with the path alone
_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
_WAY_OUT = re.compile(r'<a class="button" href="(http[^"]+)"')
_MOST_HOPS = 5
_RECORDED_WITHIN_SECONDS = 10


@dataclass
class Place:
    """One provider, its endpoint, and our registration there with the secret it was given."""

    provider: Provider
    endpoint: Endpoint
    registration: ClientRegistration
    secret: str

    @property
    def before_you_go(self) -> str:
        return f"/connect/{self.provider.pk}/{self.endpoint.pk}/"

    def register_there(self, sandbox: Sandbox, *, secret: str) -> None:
        """The provider knows our application by this secret from now on."""
        sandbox.post(
            "/control/applications",
            name="Holdfast",
            client_id=self.registration.client_id,
            client_secret=secret,
            redirect_uris=[registering.redirect_uri(self.registration)],
            versions=["r4"],
            status="approved",
        )

    def exchanges(self, sandbox: Sandbox) -> list[str]:
        """The queries of the code exchanges that arrived from this registration; waits for one the provider has yet
        to end, because it writes down only what it has ended."""
        deadline = time.monotonic() + _RECORDED_WITHIN_SECONDS
        while True:
            asked = [one["query"] for one in sandbox.get("/control/requests?path=/auth/token")["requests"]]
            ours = [query for query in asked if str(self.registration.redirect_id) in query]
            if ours or time.monotonic() > deadline:
                return ours
            time.sleep(0.2)


@dataclass(frozen=True)
class Seen:
    """One answer of the site: how the browser asked for it without its query, what it got."""

    asked: str
    status: int
    headers: str
    html: str
    location: str | None


@dataclass
class Traveller:
    """A person, signed in. `seen` is every answer their browser got, and the address they left by is in `left_by`."""

    user: Any
    client: Client = field(default_factory=Client)
    seen: list[Seen] = field(default_factory=list)
    left_by: str = ""

    def __post_init__(self) -> None:
        self.client.force_login(self.user, backend=_BACKEND)

    def get(self, address: str) -> Seen:
        """One page, redirects followed: what the patient reads in the end."""
        return self._arrive("get", address, {})

    def post(self, address: str, **fields: str) -> Seen:
        """Press a button, and read what comes of it."""
        return self._arrive("post", address, fields)

    def leave(self, place: Place) -> str:
        """Press the button before you go: the provider's address, from the page that leads there."""
        return self.leave_from(place.before_you_go)

    def leave_from(self, address: str) -> str:
        """The same from the page of a connection there is."""
        page = self.post(address)
        found = _WAY_OUT.search(page.html)
        assert found is not None, page.status
        self.left_by = unescape(found[1])
        return self.left_by

    @property
    def waiting_page(self) -> str:
        """The address of the page that the last sign-in was left from, and that tells what became of it."""
        return next(one.asked for one in reversed(self.seen) if one.asked.startswith("/connect/attempts/"))

    @property
    def state(self) -> str:
        return parse_qs(urlsplit(self.left_by).query)["state"][0]

    def sent_back(self, place: Place, **visit: Any) -> str:
        """Leave, and allow: where the provider sends the browser, on our site, with a code. Not gone to yet."""
        sent_to = Visit().answer(self.leave(place), **visit)
        assert sent_to is not None
        return within_the_site(sent_to)

    def go_there(self, place: Place, **visit: Any) -> Seen:
        """Leave, answer the provider's pages, come back, and read; where nothing comes back, look at the page left."""
        return self.go_again(place.before_you_go, **visit)

    def go_again(self, address: str, **visit: Any) -> Seen:
        """The same from the page of a connection there is."""
        sent_to = Visit().answer(self.leave_from(address), **visit)
        return self.get(self.waiting_page if sent_to is None else within_the_site(sent_to))

    def found(self, place: Place, **visit: Any) -> Connection:
        """Go there and come back with somebody found."""
        page = self.go_there(place, **visit)
        assert "Is this the right person?" in page.html, page.asked
        return Connection.objects.latest("created_at")

    def confirm(self, connection: Connection) -> Seen:
        """Say that the first person found is right."""
        return self.post(f"/connections/{connection.pk}/confirm/", answer="yes", candidate="0")

    def _arrive(self, method: str, address: str, fields: dict[str, str]) -> Seen:
        for _hop in range(_MOST_HOPS):
            answer = getattr(self.client, method)(address, fields) if fields else getattr(self.client, method)(address)
            location = answer.get("Location")
            asked = address.partition("?")[0]
            html = answer.content.decode()
            self.seen.append(Seen(asked, answer.status_code, repr(dict(answer.headers)), html, location))
            assert answer.status_code < 500, asked
            if location is None:
                return self.seen[-1]
            assert location.startswith("/"), "a redirect of ours stays on our site"
            method, address, fields = "get", location, {}
        raise AssertionError(f"{address} redirects without end")


def within_the_site(sent_to: str | None) -> str:
    """The path and query of an address on our site."""
    assert sent_to is not None
    parts = urlsplit(sent_to)
    assert f"{parts.scheme}://{parts.netloc}" == SITE
    return f"{parts.path}?{parts.query}"
