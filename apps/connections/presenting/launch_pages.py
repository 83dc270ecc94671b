"""What somebody reads whom a provider's own portal sent here, if no sign-in can begin with the link.

Sentences are L28 of the patient-experience page and its neighbors. `{provider}` is the provider's name. Every page
offers another way: if a launch can no longer be used, a start from here.
"""

from collections.abc import Mapping

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from apps.connections.authorization_requests.launching import Refusal
from apps.connections.models import PendingLaunch
from apps.connections.presenting.attempts import Page, Step
from apps.connections.presenting.wording import NextStep, Words
from apps.directory import obstacle_wording
from apps.directory.models import Provider

_FIND = (NextStep.FIND, _("Find your provider"))
_CONNECTIONS = (NextStep.CONNECTIONS, _("Go to connections"))
_START_HERE = (NextStep.AGAIN, _("Start from here instead"))

REFUSALS: Mapping[Refusal, Words] = {
    Refusal.UNREADABLE: Words(
        "off",
        _("We could not read this link"),
        _(
            "Part of it is missing, or was changed on the way. Nothing was copied. Open it again in the portal it "
            "came from, or find your provider here."
        ),
        (_FIND, _CONNECTIONS),
    ),
    Refusal.UNKNOWN_PROVIDER: Words(
        "off",
        _("We do not know this provider"),
        _("We only accept providers on our list."),
        (_FIND,),
    ),
    Refusal.ELSEWHERE: Words(
        "needs-you",
        _("Please finish where you started"),
        _(
            "This link was opened in another browser or on another device, or some time ago. Go back there, or open it "
            "again in the portal it came from. Nothing was copied."
        ),
        (_FIND, _CONNECTIONS),
    ),
    Refusal.TOO_MANY: Words(
        "off",
        _("Too many links were opened"),
        _(
            "Many links were opened from this network in a short time, so we accept no more for 10 minutes. Nothing "
            "was copied. You can find your provider here right away."
        ),
        (_FIND, _CONNECTIONS),
    ),
}

_VANISHED = Words(
    "off",
    _("This provider is no longer on our list"),
    _(
        "It was taken off the list of providers that apps can reach. Nothing was copied. Ask them where you can get "
        "your record."
    ),
    (_FIND, _CONNECTIONS),
)
_EXPIRED = Words(
    "off",
    _("This took too long, so we stopped"),
    _(
        "When you start from the portal of {provider}, you have 10 minutes to finish. Nothing was copied. You can "
        "start from here."
    ),
    (_START_HERE, _CONNECTIONS),
)
_USED = Words(
    "info",
    _("This link was already used"),
    _("It works for one sign-in at {provider} only. Opening it again copied nothing."),
    (_START_HERE, _CONNECTIONS),
    is_stop=False,
)


def refused(why: Refusal) -> Page:
    """The page of a link that was not accepted. It names nobody."""
    return _of_nobody(REFUSALS[why])


def vanished() -> Page:
    """The page of a launch whose possible senders have all vanished from the directory. It names nobody."""
    return _of_nobody(_VANISHED)


def over(pending: PendingLaunch, provider: Provider) -> Page:
    """The page of a launch that expired or was used, with the way to start from here."""
    words = _USED if pending.claimed_at is not None else _EXPIRED
    start_here = reverse("before-you-go", args=[provider.pk, pending.endpoint_id])
    return Page(
        kind=words.kind,
        title=str(words.title).format(provider=obstacle_wording.name_in_title(provider.name)),
        text=str(words.text).format(provider=provider.name),
        steps=_steps(words, start_here),
        is_stop=words.is_stop,
    )


def _of_nobody(words: Words) -> Page:
    return Page(words.kind, str(words.title), str(words.text), _steps(words, ""), words.is_stop)


def _steps(words: Words, start_here: str) -> tuple[Step, ...]:
    addresses = {
        NextStep.FIND: reverse("find-provider"),
        NextStep.CONNECTIONS: reverse("connections"),
        NextStep.AGAIN: start_here,
    }
    return tuple(Step(str(label), addresses[step]) for step, label in words.steps)
