"""Account mail: plain text in the owner's language, one link at most, no health fact and no provider's name.

The rules of wording are in the patient experience document, section 6.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import translation

from apps.accounts.models import User

_LOG = logging.getLogger(__name__)


@contextmanager
def not_in_the_way(user: User) -> Iterator[None]:
    """For mail that only tells: where it cannot be sent, the log says so, and what the person did is done all the
    same. It stands under Activity."""
    try:
        yield
    except OSError as error:  # smtplib's errors are all of this kind
        _LOG.error("A mail about the account was not sent: user %s, %s.", user.pk, type(error).__name__)


def send(template_prefix: str, *, to: str, context: Mapping[str, Any]) -> None:
    """Render `<prefix>_subject.txt` and `<prefix>_message.txt` and send them.

    The language is that of the account which has the address, else that of the page. Links start with SITE_ORIGIN,
    never with the host a request claimed.
    """
    owner = User.objects.filter(email=to).first() or context.get("user")
    language = owner.language if isinstance(owner, User) else translation.get_language()
    with translation.override(language):
        complete = {
            **context,
            "email": to,
            "first_name": owner.first_name if isinstance(owner, User) else "",
            "site_origin": settings.SITE_ORIGIN,
            "support_email": settings.SUPPORT_EMAIL,
        }
        subject = " ".join(render_to_string(f"{template_prefix}_subject.txt", complete).split())
        body = render_to_string(f"{template_prefix}_message.txt", complete).strip() + "\n"
    EmailMessage(subject, body, to=[to]).send()
