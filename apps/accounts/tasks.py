"""The scheduled tasks of accounts (`config/celery.py`)."""

from celery import shared_task
from django.utils import timezone

from apps.accounts import breach_mail, purging
from apps.accounts.sessions import SessionStore
from apps.audit.recording import Actor


@shared_task(name="apps.accounts.tasks.purge_unverified")
def purge_unverified() -> None:
    """Delete accounts whose address was never verified."""
    purging.purge_unverified(at=timezone.now(), actor=Actor.system("beat"))


@shared_task(name="apps.accounts.tasks.forget_expired_sessions")
def forget_expired_sessions() -> None:
    """Delete the rows of expired sessions. They open nothing any more, but still say who was here."""
    SessionStore.clear_expired()


@shared_task(name="apps.accounts.tasks.tell_of_breaches")
def tell_of_breaches() -> None:
    """Mail people that somebody may have seen their record."""
    breach_mail.send(at=timezone.now())
