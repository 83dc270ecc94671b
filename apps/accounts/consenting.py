"""Consent to our privacy notice: requested before the first link, and again when the notice has changed.

Consent is between the person and us. What they allow at a provider is a grant, and the provider asks for it.
"""

from datetime import datetime

from django.db import transaction

from apps.accounts import notices
from apps.accounts.models import Consent, User
from apps.audit import recording
from apps.audit.recording import Actor, EventType, Fact


def needs_consent(user: User) -> bool:
    """Whether the person has not yet agreed to the notice in force. Until they have, they are not sent to any
    provider."""
    return not user.consents.filter(notice_version=notices.current_notice().version).exists()


def latest_consent(user: User) -> Consent | None:
    """What the person agreed to last, if anything."""
    return user.consents.order_by("-agreed_at", "-pk").first()


def agree(user: User, *, notice_version: str, declaration: str, language: str, at: datetime) -> Consent:
    """Store and log that the person agreed to this version. A second press of the button changes nothing.

    Raises ValueError if the version is not the one in force (the page was open while the notice changed), or if the
    declaration is not one of `Consent.Declaration`.
    """
    if notice_version != notices.current_notice().version:
        raise ValueError("Only the notice in force can be agreed to.")
    with transaction.atomic():
        consent, is_new = Consent.objects.get_or_create(
            user=user,
            notice_version=notice_version,
            defaults={"declaration": Consent.Declaration(declaration), "language": language, "agreed_at": at},
        )
        if is_new:
            recording.record(
                EventType.CONSENT_GIVEN,
                actor=Actor.user(user.pk),
                at=at,
                user_id=user.pk,
                subject="consent",
                subject_id=str(consent.pk),
                facts={Fact.NOTICE_VERSION: notice_version},
            )
    return consent
