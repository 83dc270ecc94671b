"""An authorization request that nobody signs in for.

A fault in who asks or where the answer would go is shown as a page, because nobody trustworthy waits at that address
(RFC 6749 section 4.1.2.1). Every other fault travels back to the application.
"""


class ShownAsPage(Exception):
    """The browser stays here. `reason` is one that `sandbox/stop.html` explains."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class SentBack(Exception):
    """The browser returns to the application with an error; `address` is where."""

    def __init__(self, address: str) -> None:
        super().__init__("sent back with an error")
        self.address = address
