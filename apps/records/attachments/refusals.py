"""Why a file is not available, by who must act (patient experience 5.3, U15 and U16)."""

from enum import StrEnum


class Reason(StrEnum):
    """The closed vocabulary of `FileRefused.reason`: words for the page."""

    TOO_LARGE = "too-large"  # the patient, in the provider's portal
    NOT_SENT = "not-sent"  # the provider: nothing came, or nothing of that kind
    NOT_ALLOWED = "not-allowed"  # the provider
    ELSEWHERE = "elsewhere"  # nobody: we do not send a token to another site
    LATER = "later"  # wait
    SIGN_IN = "sign-in"  # the patient
    SWITCHED_OFF = "switched-off"  # staff


class NoSeat(Exception):
    """No thread may wait for a provider now, because too many do already. Nobody was asked; try again in a moment."""


class FileRefused(Exception):
    """A file is not available now. `size` is the provider's, or 0 if none was sent."""

    def __init__(self, reason: Reason, *, size: int = 0) -> None:
        super().__init__(self.__doc__)
        self.reason = reason
        self.size = size
