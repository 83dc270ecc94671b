"""Account mail: plain text in the owner's language, one link at most, no health fact and no provider's name.

The rules of wording are in the patient experience document, section 6.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import translation

from apps.accounts.models import User


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
