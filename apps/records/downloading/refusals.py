"""Why a file cannot be had, by who must act (patient experience 5.3, U15 and U16)."""

from enum import StrEnum


class Reason(StrEnum):
    """The closed vocabulary of `FileRefused.reason`: words for the page."""

    TOO_LARGE = "too-large"  # the patient: in the provider's portal
    NOT_SENT = "not-sent"  # the provider: there is nothing, or nothing of that kind
    NOT_ALLOWED = "not-allowed"  # the provider
    ELSEWHERE = "elsewhere"  # nobody: we do not carry a permission to another site
    LATER = "later"  # wait
    SIGN_IN = "sign-in"  # the patient
    SWITCHED_OFF = "switched-off"  # staff


class NoSeat(Exception):
    """As many threads wait for providers as may: nobody was asked. Come again in a moment."""


class FileRefused(Exception):
    """A file cannot be had now. `size` is what the provider says, 0 where it says nothing."""

    def __init__(self, reason: Reason, *, size: int = 0) -> None:
        super().__init__(self.__doc__)
        self.reason = reason
        self.size = size
