"""Revocation (RFC 7009): either token of a grant ends the grant. An unknown token also gets a 200.

So does a token of the other version, which has another authorization server (specification 9.1).
"""

from datetime import datetime

from django.db.models import Q

from apps.sandbox import bearer
from apps.sandbox.models import Application, Grant
from apps.sandbox.patient_access import granting
from apps.sandbox.patient_access.refusing import Refusal


def revoke(application: Application, given: dict[str, str], *, version: str, at: datetime) -> None:
    """End the grant of `token`, if it belongs to this application in `version`. Raises Refusal if there is no token
    parameter."""
    if "token" not in given:
        raise Refusal("invalid_request", "token is needed.")
    digest = bearer.sha256(given["token"])
    whose = Q(access_tokens__sha256=digest) | Q(refresh_tokens__sha256=digest)
    found = Grant.objects.filter(whose, application=application, version=version).values("pk")
    granting.end(Grant.objects.filter(pk__in=found), reason="revoked by the application", at=at)
