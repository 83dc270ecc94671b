"""An authorization request that is refused before anybody signs in.

If the client or the redirect URI is wrong, the error is shown as a page, because that URI cannot be trusted (RFC 6749
section 4.1.2.1). Every other error is returned to the application.
"""


class ShownAsPage(Exception):
    """The error is shown as a page. `reason` is one that `sandbox/stop.html` explains."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class SentBack(Exception):
    """The browser returns to the application with an error; `address` is the URL."""

    def __init__(self, address: str) -> None:
        super().__init__("sent back with an error")
        self.address = address
