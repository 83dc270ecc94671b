"""Every way in which an attempt to link can end. Their sentences are in `presenting.wording`.

Outcomes of the first group are stored with the authorization request, so that a second tab shows the same. Those of the
second group belong to answers that match no request of this browser, and are stored nowhere.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Outcome(models.TextChoices):
    """How an attempt to link ended."""

    COMPLETED = "completed", _("completed")
    CONFIRMED = "confirmed", _("completed and confirmed")
    ALREADY_CONNECTED = "already_connected", _("renewed a connection there was")
    DECLINED = "declined", _("not the right person")
    UNCONFIRMED = "unconfirmed", _("not confirmed in time")
    CANCELLED = "cancelled", _("cancelled or denied")
    DENIED_BY_PROVIDER = "denied_by_provider", _("denied by the provider")
    EXPIRED = "expired", _("expired")
    CLOSED = "closed", _("closed by the patient for another")
    PROVIDER_DOWN = "provider_down", _("provider not answering")
    CODE_REFUSED = "code_refused", _("code refused")
    REGISTRATION_BROKEN = "registration_broken", _("our registration is not accepted")
    SWITCHED_OFF = "switched_off", _("switched off meanwhile")
    NOT_ENABLED = "not_enabled", _("not enabled by the organization")
    REQUEST_REFUSED = "request_refused", _("our request was not accepted")
    NO_PERSON = "no_person", _("no person found")
    WRONG_PERSON = "wrong_person", _("another person than before")
    WRONG_ISSUER = "wrong_issuer", _("answered by somebody else")
    UNREADABLE = "unreadable", _("an answer we could not read")
    NOTHING_SHARED = "nothing_shared", _("too little was shared to say whose record it is")
    ADDRESS_DOUBTED = "address_doubted", _("not where its addresses say")
    IDENTITY_REFUSED = "identity_refused", _("a proof of who signed in that does not hold")

    FORGED = "forged", _("an answer we did not ask for")
    OTHER_BROWSER = "other_browser", _("other browser")
    OTHER_ACCOUNT = "other_account", _("somebody else is signed in")
    USED_TWICE = "used_twice", _("answered before")
    ACCOUNT_CLOSED = "account_closed", _("account closed meanwhile")
