"""A browser without JavaScript: cookies, redirects, refreshing pages, forms. It reaches only this machine."""

import http.cookiejar
import urllib.error
import urllib.request
from collections.abc import Sequence
from urllib.parse import urlencode, urljoin, urlsplit

from development.check.page import NotThere, Page
from development.ports import LOOPBACK

_SECONDS = 60
_MOST_HOPS = 10
_REDIRECTS = {301, 302, 303, 307, 308}


class _StayPut(urllib.request.HTTPRedirectHandler):
    """Leaves redirects to the browser below, which says where it went."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Never follow."""


class Browser:
    """One person's browser. `page` is what is on the screen now."""

    def __init__(self) -> None:
        # Like real ones, cookies do not know ports: site and sandbox must not take each other's.
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self._cookies), _StayPut()
        )
        self.page = Page("about:blank", 200, "")

    def open(self, address: str) -> Page:
        """Type an address."""
        return self._go("GET", address, ())

    def follow(self, words: str) -> Page:
        """Click the first link with these words."""
        return self.open(self.page.link(words))

    def press(self, button: str) -> Page:
        """Press a button without filling anything in."""
        return self.fill({}, button)

    def fill(self, values: dict[str, str | bool], button: str) -> Page:
        """Fill in the fields called so, and press the button of their form."""
        form = self.page.form(button)
        sent = form.filled(values, button)
        if form.method == "post":
            return self._go("POST", form.action, sent)
        return self._go("GET", f"{form.action.partition('?')[0]}?{urlencode(sent)}", ())

    def refresh(self) -> Page:
        """Follow the page's own refresh."""
        if self.page.refreshes_to is None:
            raise NotThere(f"{self.page.address} goes nowhere by itself")
        return self.open(self.page.refreshes_to)

    def _go(self, method: str, address: str, sent: Sequence[tuple[str, str]]) -> Page:
        for _ in range(_MOST_HOPS):
            status, location, body = self._ask(method, address, sent)
            if status not in _REDIRECTS or location is None:
                self.page = Page(address, status, body)
                return self.page
            address = urljoin(address, location)
            if status not in {307, 308}:
                method, sent = "GET", ()
        raise NotThere(f"{address} redirects without end")

    def _ask(self, method: str, address: str, sent: Sequence[tuple[str, str]]) -> tuple[int, str | None, str]:
        parts = urlsplit(address)
        if parts.hostname not in {LOOPBACK, "localhost"}:
            raise NotThere(f"led to another machine: {parts.hostname}")
        headers = {"Accept": "text/html", "User-Agent": "holdfast-check"}
        if method == "POST":
            headers |= {"Origin": f"{parts.scheme}://{parts.netloc}", "Referer": self.page.address}
        request = urllib.request.Request(
            address, method=method, headers=headers, data=urlencode(sent).encode() if method == "POST" else None
        )
        try:
            with self._opener.open(request, timeout=_SECONDS) as answer:
                return answer.status, None, answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code, answer.headers.get("Location"), answer.read().decode("utf-8", "replace")
