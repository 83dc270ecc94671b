"""Mail to users: plain text in their language, at most one link to act on, no health facts, and no provider's name
unless the reader wants it.

The rules of wording are in the patient experience document, section 6.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import tzinfo
from email.utils import make_msgid
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.message import sanitize_address
from django.template.loader import render_to_string
from django.utils import timezone, translation

from apps.accounts import time_zones
from apps.accounts.models import User

_LOG = logging.getLogger(__name__)

_SECONDS: Final = 40.0  # how long one round may take
_MOST_FAILURES: Final = 3  # in a row: then the server is at fault, and the rest waits
_MOST_REFUSED: Final = 60  # addresses in a row: then it may refuse whatever comes from us

_FOR_GOOD: Final = 500  # the least code of an SMTP server that says so

Letter = TypeVar("Letter")


class NotSent(OSError):
    """The mail server refused a mail that somebody waits for, such as one with a code. The text is the kind of failure.
    Either it passes, or the operator must act."""


class PerhapsSent(OSError):
    """The connection broke while a mail was sent, and nobody knows whether the server took it. Sending it again may
    send it twice, as often as that happens. The text is the kind of failure."""


def kind(error: OSError) -> str:
    """The kind of failure, for the log: the text of other errors may contain an address."""
    return str(error) if isinstance(error, NotSent | PerhapsSent) else type(error).__name__


@contextmanager
def failures_logged(user: User) -> Iterator[None]:
    """For mail that only informs: if it cannot be sent, that is logged, and what the person did succeeds all the same.
    They can read it under Activity."""
    try:
        yield
    except OSError as error:  # smtplib's errors are all of this kind
        _LOG.error("A mail about the account was not sent: user %s, %s.", user.pk, kind(error))


def not_sent(error: OSError) -> bool | None:
    """What `send_in_turn` is to know of a mail that was not sent: None if the server refused its address for good, and
    takes other mail; False if the server may be at fault."""
    answers = getattr(error, "recipients", {}).values()  # of smtplib's error where only recipients are refused
    return None if answers and all(code >= _FOR_GOOD for code, _said in answers) else False


def send_in_turn(
    user_ids: Iterable[UUID], claim: Callable[[UUID], Letter | None], send: Callable[[Letter], bool | None]
) -> int:
    """Mail one person after another, until the round's time is over or the mail server fails too often. Returns how
    many mails were sent.

    `claim` returns what one person is to be told, or None if there is nothing or another process has it; `send` returns
    whether the server took it, and `not_sent` otherwise. Addresses that take no mail any more come due together, since
    they are all tried again: without telling them apart, three of them would end each round, and other people's mail
    wait behind them. Speaks to the mail server: call it outside transactions.
    """
    stop_at, sent, failures, refused = time.monotonic() + _SECONDS, 0, 0, 0
    for user_id in user_ids:
        if time.monotonic() >= stop_at or failures >= _MOST_FAILURES or refused >= _MOST_REFUSED:
            break
        letter = claim(user_id)
        if letter is None:
            continue
        is_sent = send(letter)
        if is_sent:
            sent, failures, refused = sent + 1, 0, 0
        elif is_sent is None:
            refused += 1
        else:
            failures += 1
    return sent


def is_address(written: str) -> bool:
    """Whether mail can be sent to it: a valid internationalized domain may still be too long as mail servers write it
    (RFC 5890, section 2.3.1: 63 octets a label)."""
    try:
        sanitize_address(written, "utf-8")
    except ValueError:  # UnicodeError is of this kind
        return False
    return True


def is_confirmed(user: User) -> bool:
    """Whether the address of this account was verified."""
    confirmed = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True)
    return bool(confirmed.exists())


def send(
    template_prefix: str, *, to: str, context: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> None:
    """Render `<prefix>_subject.txt` and `<prefix>_message.txt` and send them.

    Language and time zone are those of the account with this address, or else those of the request. Links start with
    SITE_ORIGIN, never with the host that a request claimed. Raises OSError if the mail server refuses the mail, and
    PerhapsSent, a subclass, if the connection broke.
    """
    owner = User.objects.filter(email=to).first() or context.get("user")
    language: str | None = translation.get_language()
    zone: tzinfo = timezone.get_current_timezone()
    if isinstance(owner, User):
        language, zone = owner.language, time_zones.of(owner)
    with translation.override(language), timezone.override(zone):
        complete = {
            **context,
            "email": to,
            "first_name": owner.first_name if isinstance(owner, User) else "",
            "site_origin": settings.SITE_ORIGIN,
            "support_email": settings.SUPPORT_EMAIL,
        }
        subject = " ".join(render_to_string(f"{template_prefix}_subject.txt", complete).split())
        body = render_to_string(f"{template_prefix}_message.txt", complete).strip() + "\n"
    with get_connection() as server:
        # By default it ends with the machine's name: in a container that is random, and some mail servers distrust it.
        identified = {"Message-ID": make_msgid(domain=urlsplit(settings.SITE_ORIGIN).hostname)}
        message = EmailMessage(subject, body, to=[to], headers={**identified, **(headers or {})}, connection=server)
        try:
            message.send()
        except OSError as error:
            if _is_refusal(error):
                raise
            raise PerhapsSent(kind(error)) from None


def _is_refusal(error: OSError) -> bool:
    """Whether the mail server said no: then smtplib's error has its code, or the recipients that it refused."""
    return hasattr(error, "smtp_code") or hasattr(error, "recipients")
