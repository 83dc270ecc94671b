"""Whether the user already has records of the person whom a sign-in found, before anything is copied.

A sign-in may lead to the wrong person by accident, if the portal was still open with another account.
"""

from collections.abc import Sequence
from dataclasses import replace

from apps.connections.authorization_responses import candidates, patient_matching
from apps.connections.authorization_responses.candidates import Candidate
from apps.connections.models import Connection


def others_than(connection: Connection, person: Candidate) -> Sequence[Candidate]:
    """The people whose records the user's other connections hold, each once, if none of them is this person. Empty if
    one is, or if there is no other record. Makes one query, and unlocks the user's key if that finds any."""
    others = Connection.objects.confirmed().filter(user_id=connection.user_id).exclude(pk=connection.pk)
    rows = list(others.only("pk", "user_id", "sealed_person").order_by("created_at", "pk"))
    known = candidates.find_people(connection.user_id, rows).values() if rows else ()
    if any(patient_matching.are_same(person, one) for one in known):
        return ()
    return tuple(dict.fromkeys(replace(one, patient_id="") for one in known))
