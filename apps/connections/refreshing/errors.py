"""Why no access token is available now, by who must act."""

from datetime import datetime


class NotYet(Exception):
    """Nobody may refresh this connection before `until`: ask again then."""

    def __init__(self, until: datetime) -> None:
        super().__init__(self.__doc__)
        self.until = until


class NeedsReauthorization(Exception):
    """The patient must sign in at the provider again; the connection says why."""


class RegistrationBroken(NotYet):
    """The server does not accept our client registration, or this release does not know how to speak to it. Nobody asks
    again before `until`, unless staff fix it earlier."""


class SwitchedOff(Exception):
    """Staff switched the endpoint or the client registration off: nothing is sent until both are on again."""
