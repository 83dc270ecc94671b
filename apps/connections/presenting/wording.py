"""What a patient reads about each outcome: what happened, what we kept, whose turn it is, what to do.

It is data, so that a test can prove that each outcome has its words. `{provider}` is the provider's name. Sentences are
L1 to L29 of the patient-experience page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.connections.outcomes import Outcome

Text = str | Promise


class NextStep(StrEnum):
    """Where a button leads."""

    AGAIN = "again"  # before you go, for the same provider and version, or the same connection
    AS_NEW = "as_new"  # before you go, as a connection of its own
    CONNECTION = "connection"
    CONNECTIONS = "connections"
    FIND = "find"
    HELP = "help"  # what to ask a provider that does not let us in
    HOME = "home"
    SHARING = "sharing"  # before you go, to be asked anew what to share
    SIGN_OUT = "sign_out"


@dataclass(frozen=True)
class Words:
    """One page. `kind` is the notice's shape. `is_stop` adds the line about urgent care at the end, and `may_ask` the
    words with which the provider can be asked to enable us. `tells` offers a mail when it works again."""

    kind: str
    title: Text
    text: Text
    steps: tuple[tuple[NextStep, Text], ...]
    is_stop: bool = True
    may_ask: bool = False
    tells: bool = False


_CONNECTIONS = (NextStep.CONNECTIONS, _("Go to connections"))
_TRY_AGAIN = (NextStep.AGAIN, _("Try again"))
_START_AGAIN = (NextStep.AGAIN, _("Start again"))
_START_ELSEWHERE = (NextStep.FIND, _("Start again here"))

OUTCOMES: Mapping[Outcome, Words] = {
    Outcome.COMPLETED: Words(
        "done",
        _("{provider} is connected"),
        _("We renewed the connection and kept everything."),
        ((NextStep.CONNECTION, _("Go to the connection")),),
        is_stop=False,
    ),
    Outcome.CONFIRMED: Words(
        "done",
        _("{provider} is connected"),
        _("We are getting your record now. You can leave this page."),
        ((NextStep.CONNECTION, _("Go to the connection")),),
        is_stop=False,
    ),
    Outcome.ALREADY_CONNECTED: Words(
        "done",
        _("You are already connected to {provider}"),
        _("We renewed the connection and kept everything."),
        ((NextStep.CONNECTION, _("Go to the connection")),),
        is_stop=False,
    ),
    Outcome.DECLINED: Words(
        "off",
        _("Nothing was copied"),
        _(
            "We dropped the permission. If the portal opened with someone else's account, log out there first, "
            "then start again."
        ),
        (_START_AGAIN, _CONNECTIONS),
    ),
    Outcome.UNCONFIRMED: Words(
        "off",
        _("Nothing was copied"),
        _(
            "Nobody confirmed within 30 minutes whose record this is, so we dropped the permission. You can start "
            "again at any time."
        ),
        (_START_AGAIN, _CONNECTIONS),
    ),
    Outcome.CANCELLED: Words(
        "off",
        _("Not connected"),
        _("Permission was not given at {provider}. Nothing was copied. If you did not mean this, try again."),
        (_TRY_AGAIN, (NextStep.CONNECTIONS, _("Back to connections"))),
    ),
    Outcome.DENIED_BY_PROVIDER: Words(
        "needs-you",
        _("{provider} did not allow the connection"),
        _("You did nothing wrong, and nothing was copied. Ask {provider} whether your portal account may use apps."),
        (_CONNECTIONS, (NextStep.HELP, _("What to ask them"))),
    ),
    Outcome.EXPIRED: Words(
        "off",
        _("This took too long, so we stopped"),
        _("For your safety a sign-in is open for 10 minutes. Nothing was copied."),
        (_START_AGAIN,),
    ),
    Outcome.CLOSED: Words(
        "off",
        _("This sign-in was closed"),
        _("It was closed before the answer came. Nothing was copied."),
        (_CONNECTIONS, _START_AGAIN),
    ),
    Outcome.PROVIDER_DOWN: Words(
        "fault",
        _("{provider} is not answering right now"),
        _("This is on their side. Nothing is lost. Try again in a while."),
        (_TRY_AGAIN, _CONNECTIONS),
        tells=True,
    ),
    Outcome.CODE_REFUSED: Words(
        "needs-you",
        _("The sign-in could not be finished"),
        _("{provider} closed it before we could finish. Nothing was copied. Please sign in once more."),
        ((NextStep.AGAIN, _("Sign in again")), _CONNECTIONS),
    ),
    Outcome.REGISTRATION_BROKEN: Words(
        "fault",
        _("We cannot connect to {provider} right now"),
        _("Sorry, this is our problem, not yours. Our staff have been told. Your existing records stay as they are."),
        (_CONNECTIONS,),
        tells=True,
    ),
    Outcome.SWITCHED_OFF: Words(
        "off",
        _("We cannot connect to {provider} right now"),
        _(
            "We turned off access to {provider} for now, while you were signing in there. We did not use your "
            "sign-in, and nothing was copied. What you already have from there stays. You do not need to do "
            "anything."
        ),
        (_CONNECTIONS,),
        tells=True,
    ),
    Outcome.NOT_ENABLED: Words(
        "needs-you",
        _("{provider} has not turned on this app yet"),
        _("Only they can do this. We have told our staff. You can ask them, in these words:"),
        (_CONNECTIONS,),
        may_ask=True,
    ),
    Outcome.REQUEST_REFUSED: Words(
        "fault",
        _("Something in our request was not accepted"),
        _("Sorry, this is ours to fix. Trying again will not help. Nothing was copied."),
        (_CONNECTIONS,),
        tells=True,
    ),
    Outcome.NO_PERSON: Words(
        "needs-you",
        _("{provider} did not say whose record this is"),
        _("Without that we copy nothing. Their help desk can check your portal account."),
        (_TRY_AGAIN, _CONNECTIONS),
    ),
    Outcome.NOTHING_SHARED: Words(
        "needs-you",
        _("Too little was shared"),
        _(
            "To show you whose record it is, we need at least the name and birth date. {provider} did not share them. "
            "Nothing was copied. Try again, and leave the personal details selected there."
        ),
        (_TRY_AGAIN, _CONNECTIONS),
    ),
    Outcome.WRONG_PERSON: Words(
        "needs-you",
        _("This is a different person"),
        _("This connection is for {person}. The sign-in was for someone else. We kept your record and copied nothing."),
        ((NextStep.AGAIN, _("Try again")), (NextStep.AS_NEW, _("Connect as a new person"))),
    ),
    Outcome.WRONG_ISSUER: Words(
        "fault",
        _("We could not confirm who answered"),
        _(
            "The answer did not come from the service we expected for {provider}. We stopped to protect you. We are "
            "looking into it."
        ),
        ((NextStep.CONNECTIONS, _("Back to connections")),),
    ),
    Outcome.ADDRESS_DOUBTED: Words(
        "fault",
        _("We could not finish at {provider}"),
        _(
            "The web address they publish for finishing a sign-in does not work. Nothing was copied. When you start "
            "again, we will ask them for the address again."
        ),
        (_START_AGAIN, _CONNECTIONS),
    ),
    Outcome.IDENTITY_REFUSED: Words(
        "fault",
        _("We could not confirm the sign-in"),
        _(
            "{provider} sent a proof we could not check. Nothing was copied. Try once more; if it happens again, we "
            "will see it too."
        ),
        (_TRY_AGAIN, _CONNECTIONS),
    ),
    Outcome.UNREADABLE: Words(
        "fault",
        _("We could not read the answer"),
        _("{provider} sent something we do not understand. Nothing was copied. Try again in a while."),
        (_TRY_AGAIN, _CONNECTIONS),
    ),
    Outcome.FORGED: Words(
        "off",
        _("We did not start this sign-in"),
        _("An answer arrived that we did not ask for. We ignored it. Your record is not affected."),
        (_CONNECTIONS,),
    ),
    Outcome.OTHER_BROWSER: Words(
        "needs-you",
        _("Please finish where you started"),
        _("You began in another browser or on another device. Go back there, or start again here. Nothing was copied."),
        (_START_ELSEWHERE,),
    ),
    Outcome.OTHER_ACCOUNT: Words(
        "needs-you",
        _("You are signed in as someone else"),
        _(
            "This sign-in belongs to another account. Nothing was copied to this one. Log out, then start again in "
            "the right account."
        ),
        ((NextStep.SIGN_OUT, _("Log out")), _CONNECTIONS),
    ),
    Outcome.ACCOUNT_CLOSED: Words(
        "off",
        _("This account is closed"),
        _("It was closed before the answer came. Nothing was copied, and we keep no permission."),
        ((NextStep.HOME, _("Go to Home")),),
    ),
    Outcome.USED_TWICE: Words(
        "info",
        _("This step is already done"),
        _("{provider} was not connected. You do not need to repeat it."),
        (_CONNECTIONS, _TRY_AGAIN),
        is_stop=False,
    ),
}

# After a sign-in that was to reauthorize an existing connection, which goes on as before.
REAUTHORIZATIONS: Mapping[Outcome, Words] = {
    Outcome.CANCELLED: Words(
        "off",
        _("Nothing changed"),
        _(
            "Permission was not given at {provider}. The connection stays as it was, and so does your record. If you "
            "did not mean this, try again."
        ),
        (_TRY_AGAIN, (NextStep.CONNECTION, _("Go to the connection"))),
    ),
    Outcome.USED_TWICE: Words(
        "info",
        _("This step is already done"),
        _("The connection to {provider} was not renewed. It stays as it was, and so does your record."),
        ((NextStep.CONNECTION, _("Go to the connection")), _TRY_AGAIN),
        is_stop=False,
    ),
    Outcome.NO_PERSON: Words(
        "needs-you",
        _("{provider} did not say whose record this is"),
        _(
            "Without that we change nothing. The connection stays as it was, and so does your record. Their help desk "
            "can check your portal account."
        ),
        (_TRY_AGAIN, (NextStep.CONNECTION, _("Go to the connection"))),
    ),
    Outcome.NOTHING_SHARED: Words(
        "needs-you",
        _("Too little was shared"),
        _(
            "This time {provider} did not share the name and birth date, which show whose record it is. The "
            "connection stays as it was, and so does your record. Try again, and leave the personal details selected "
            "there."
        ),
        (_TRY_AGAIN, (NextStep.CONNECTION, _("Go to the connection"))),
    ),
    Outcome.IDENTITY_REFUSED: Words(
        "fault",
        _("We could not confirm the sign-in"),
        _(
            "{provider} sent a proof we could not check. The connection stays as it was, and so does your record. Try "
            "once more; if it happens again, we will see it too."
        ),
        (_TRY_AGAIN, (NextStep.CONNECTION, _("Go to the connection"))),
    ),
}

# A launch from the provider's own portal: its value is valid for some minutes, once, and for one person.
LAUNCHES: Mapping[Outcome, Words] = {
    Outcome.REQUEST_REFUSED: Words(
        "off",
        _("This start from {provider} no longer works"),
        _(
            "What their portal sent with it has expired, or was for someone else. Nothing was copied. You can start "
            "from here instead."
        ),
        ((NextStep.AGAIN, _("Start from here instead")), _CONNECTIONS),
    ),
}

# We were stopped in the middle: the code is used up, and tokens that it brought were revoked.
INTERRUPTED = Words(
    "needs-you",
    _("The sign-in could not be finished"),
    _("We were interrupted before we could finish. Nothing was copied. Please sign in once more."),
    ((NextStep.AGAIN, _("Sign in again")), _CONNECTIONS),
)

# The second tab of a sign-in that worked.
USED_TWICE_CONNECTED = Words(
    "info",
    _("This step is already done"),
    _("{provider} is connected. You do not need to repeat it."),
    ((NextStep.CONNECTION, _("Go to the connection")),),
    is_stop=False,
)

# A sign-in that worked, but something was not shared. `{kinds}` is the list.
SOME_LEFT_OUT = Words(
    "done",
    _("{provider} is connected, some kinds left out"),
    _("Not shared: {kinds}. You can change this at {provider} at any time."),
    ((NextStep.CONNECTION, _("Go to the connection")), (NextStep.SHARING, _("Change what you share"))),
    is_stop=False,
)

# A sign-in that worked, for a connection that was ended since.
OVER_SINCE = Words(
    "off",
    _("This connection was ended"),
    _("The sign-in at {provider} worked, but the connection was ended later. You can connect again at any time."),
    ((NextStep.AS_NEW, _("Connect again")), _CONNECTIONS),
    is_stop=False,
)

# The second time in a row: another way instead of the same advice.
STILL_DOWN = Words(
    "fault",
    _("{provider} is still not answering"),
    _("To see your record today, use their portal or call them. Nothing is lost."),
    (_CONNECTIONS, _TRY_AGAIN),
    tells=True,
)

# An answer that was posted: it is not known whose it is.
POSTED = Words(
    "off",
    _("The answer came in a form we cannot use"),
    _(
        "We did not read it, and nothing was copied. Start again. If it happens again, their help desk can find out "
        "why."
    ),
    (_CONNECTIONS,),
)

# No outcome yet.
WAITING = Words(
    "working",
    _("Still waiting for {provider}"),
    _("If you finished there, come back here; if their page stopped, start again. Nothing was copied."),
    (_START_AGAIN, _CONNECTIONS),
    is_stop=False,
)
# The same where an organization may show a page of its own instead of sending anybody back.
WAITING_AT_DEPLOYMENT = Words(
    "working",
    _("Still waiting for {provider}"),
    _(
        "If you finished there, come back here; if their page stopped, start again. Nothing was copied. If their page "
        'says that this app is not known or not turned on, only they can change that. You can ask: "Please enable the '
        'Holdfast app for patient access."'
    ),
    (_START_AGAIN, _CONNECTIONS),
    is_stop=False,
)
FINISHING = Words(
    "working",
    _("Finishing the sign-in"),
    _("{provider} has answered, and we are asking whose record it is. Reload this page in a moment."),
    (_CONNECTIONS,),
    is_stop=False,
)
TOO_MANY_OPEN = Words(
    "needs-you",
    _("Finish one sign-in first"),
    _("You have several open. Close them, or wait 10 minutes."),
    (),
)
