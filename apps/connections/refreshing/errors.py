"""Why no access token is handed out now, by whose turn it is."""

from datetime import datetime


class NotYet(Exception):
    """Nobody may refresh this connection before `until`: ask again then."""

    def __init__(self, until: datetime) -> None:
        super().__init__(self.__doc__)
        self.until = until


class NeedsReauthorization(Exception):
    """The patient must sign in at the provider again; the connection says why."""


class RegistrationBroken(NotYet):
    """Their server does not accept our client registration, or this release does not know how to speak to it. Nobody
    asks again before `until`, or before staff mended it: then at once."""


class SwitchedOff(Exception):
    """Staff switched the endpoint or the client registration off: nothing is asked until both are on again."""
