"""The switches: one for each client registration and one for each endpoint. Off stops linking, refreshing and syncing.

At once: nobody begins anything there any more, a sync under way stops before its next request, and a sign-in under way
ends with a page that says so. Nothing is lost: tokens and copies stay, and runs go on where they stopped when it is on
again. Permissions that patients end are still ended at the provider.
"""

from datetime import datetime

from django.db import transaction

from apps.audit.recording import Actor
from apps.directory import amending, endpoint_events, trusting
from apps.directory.models import ClientRegistration, Endpoint


def switch_registration(registration: ClientRegistration, *, is_on: bool, actor: Actor, at: datetime) -> None:
    """Switch everything off, or on again, that goes under this registration: all but hosts that nobody looked at, which
    wait for that from then on (`trusting`). Twice is as once."""
    with amending.locked(registration) as row:
        if row.is_switched_on == is_on:
            return
        row.is_switched_on, row.switched_off_at = is_on, None if is_on else at
        row.save(update_fields=["is_switched_on", "switched_off_at"])
        amending.note(row, "switched on" if is_on else "switched off", actor=actor, at=at)
        if is_on:
            trusting.estrange_unseen(row, actor=actor, at=at)


def switch_endpoint(endpoint: Endpoint, *, is_on: bool, actor: Actor, at: datetime) -> None:
    """The same for one endpoint, under whatever registration. Twice is as once."""
    with transaction.atomic():
        row = Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint.pk)  # new links need not wait
        if row.is_switched_on != is_on:
            row.is_switched_on, row.switched_off_at = is_on, None if is_on else at
            if is_on:  # whoever switches it on has looked at its host
                row.is_stranger, row.host_seen_at = False, at
            row.save(update_fields=["is_switched_on", "switched_off_at", "is_stranger", "host_seen_at"])
            endpoint_events.note_endpoint(row.pk, "switched on" if is_on else "switched off", actor=actor, at=at)
    endpoint.refresh_from_db()


def is_on(endpoint: Endpoint, registration: ClientRegistration) -> bool:
    """Whether both are on, as these two objects know it."""
    return endpoint.is_switched_on and registration.is_switched_on
