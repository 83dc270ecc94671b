"""The control addresses of interface B: read the body, change one thing, answer with the state that results."""

from typing import Any

from django.http import QueryDict

from apps.sandbox import clock
from apps.sandbox.control import snapshots
from apps.sandbox.control.json_views import Answer, Body, Wrong, only, take, texts
from apps.sandbox.models import SmartApplication
from apps.sandbox.registration import RequestRefused
from apps.sandbox.smart import registering
from apps.sandbox.smart.identity import issuers
from apps.sandbox.smart.registering import Registration

_TEXTS = (
    *("name", "client_id", "client_secret", "client_type", "authentication", "jwks_url", "launch_url"),
    *("persona", "smart_version", "status"),
)
_LISTS = ("redirect_uris", "versions", "scopes", "enabled_tenants")


def applications(_query: QueryDict) -> Answer:
    """Every application of interface B, without secrets."""
    rows = SmartApplication.objects.order_by("pk")
    return {"applications": [snapshots.smart_application(row) for row in rows]}, 200


def install_application(body: Body) -> Answer:
    """Install a working application from the given fields of `registering.Registration`. The answer also has what a
    console tells a developer: the secret, and the issuer of ID tokens."""
    only(body, *_TEXTS, *_LISTS, "jwks")
    given: dict[str, Any] = {
        **{name: take(body, name, str, "") for name in _TEXTS if name in body},
        **{name: texts(body, name) for name in _LISTS if name in body},
    }
    if "jwks" in body:
        given["jwks"] = take(body, "jwks", dict, {})
    try:
        wanted = Registration(**{"name": "Application", "redirect_uris": [], **given})
        application, secret = registering.install(wanted, at=clock.now())
    except RequestRefused as refused:
        raise Wrong(str(refused)) from None
    known = [issuers.identity(tenant, application.persona) for tenant in application.enabled_tenants]
    return {**snapshots.smart_application(application), "client_secret": secret, "id_token_issuers": known}, 201
