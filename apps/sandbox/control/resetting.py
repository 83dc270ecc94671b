"""Reset the sandbox: real time, default switches, no faults, nobody signed in, no grants.

Applications, accounts and records stay: a test or a demo has set them up.
"""

from django.contrib.sessions.models import Session
from django.db import transaction

from apps.sandbox import bearer, clock, recorder, refresh_counts, scenarios
from apps.sandbox.models import Grant, Launch, SmartAssertion, SmartGrant, SystemAssertion
from apps.sandbox.smart import rogue
from apps.sandbox.smart.bulk import jobs
from apps.sandbox.smart.clients import registered_keys
from apps.sandbox.smart.data import bearer_tokens


def reset() -> None:
    """Do it."""
    with transaction.atomic():
        Grant.objects.all().delete()  # and with them every code and token
        SmartGrant.objects.all().delete()
        Launch.objects.all().delete()
        SmartAssertion.objects.all().delete()
        SystemAssertion.objects.all().delete()
        Session.objects.all().delete()
        clock.reset()
    scenarios.reset()
    rogue.announce(rogue.Elsewhere())
    recorder.clear()
    refresh_counts.clear()
    bearer.forget()
    bearer_tokens.forget()
    jobs.forget()
    registered_keys.forget()
