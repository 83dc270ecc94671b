"""Why a connection needs a new sign-in: the closed vocabulary of `Connection.reason`. Sentences are in
`presenting.states`."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Reason(models.TextChoices):
    """Each says what happened, not whose fault it is."""

    GRANT_ENDED = "grant_ended", _("the provider ended the permission")
    DATA_REFUSED = "data_refused", _("the provider does not open the record")
    WINDOW_OVER = "window_over", _("the provider's time limit passed")
    NOT_RENEWABLE = "not_renewable", _("the provider gave no means to renew")
    SESSION_OVER = "session_over", _("the session at the provider ended")
    IDLE_LIMIT_OVER = "idle_limit_over", _("the permission rested too long")
    EARLIER_COPY = "earlier_copy", _("refused after a backup was restored")
    ADDRESS_DROPPED = "address_dropped", _("given at an address that staff no longer approve")
