"""The provider's own pages without a browser, by plain requests: sign in, allow or cancel, and be sent back.

It uses no code of the product.
"""

import http.cookiejar
import urllib.error
import urllib.request
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

from development.check.page import Page

_SECONDS = 60


class _StayPut(urllib.request.HTTPRedirectHandler):
    """Shows redirects instead of following them: the last one leads back to the site."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Never follow."""


class Visit:
    """One person's visit at the practice. `status` is of the last page there."""

    def __init__(self) -> None:
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
            _StayPut(),
        )
        self.status = 0

    def answer(
        self, url: str, *, username: str = "ruth", press: str = "Allow", chosen: Mapping[str, str | bool] | None = None
    ) -> str | None:
        """Sign in, choose what is chosen by its label, and press a button of the consent page: where the practice sends
        the browser, or None: nowhere."""
        page, sent_to = self._ask(url)
        if page.status != 200 or sent_to is not None:
            return sent_to
        asked = page.form("Sign in")
        page, sent_to = self._ask(
            asked.action, asked.filled({"User name": username, "Password": f"{username}-pass-1"}, "Sign in")
        )
        if sent_to is not None:
            return sent_to
        asked = page.form(press)
        _page, sent_to = self._ask(asked.action, asked.filled(chosen or {}, press))
        return sent_to

    def look(self, url: str) -> Page:
        """A page there, as whoever signed in at this visit sees it."""
        return self._ask(url)[0]

    def press(self, url: str, button: str, **fields: str) -> None:
        """Press the first button of this name on a page there; `fields` are filled by their label, with underscores."""
        form = self.look(url).form(button)
        filled = {label.replace("_", " "): value for label, value in fields.items()}
        self._ask(form.action, form.filled(filled, button))

    def _ask(self, url: str, sent: list[tuple[str, str]] | None = None) -> tuple[Page, str | None]:
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        request = urllib.request.Request(
            url, data=None if sent is None else urlencode(sent).encode(), headers={"Referer": url, "Origin": origin}
        )
        try:
            with self._opener.open(request, timeout=_SECONDS) as answer:
                status, location, html = answer.status, None, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            with refusal:
                status, location, html = refusal.code, refusal.headers.get("Location"), refusal.read().decode()
        self.status = status
        return Page(url, status, html), location
