"""Control addresses for interface B's keys, launches, enabled applications, and misleading discovery documents."""

from typing import Any
from urllib.parse import urlsplit

from django.http import QueryDict

from apps.sandbox import clock
from apps.sandbox.control.json_views import Body, Wrong, only, take
from apps.sandbox.models import Account, SigningKey, SmartApplication, Tenant
from apps.sandbox.smart import rogue
from apps.sandbox.smart.enabling import deciding
from apps.sandbox.smart.identity import signing_keys
from apps.sandbox.smart.launching import starting

Answer = tuple[object, int]


def keys(_query: QueryDict) -> Answer:
    """The published keys, newest generation first."""
    return {"keys": [_key(row) for row in signing_keys.standing(at=clock.now())]}, 200


def rotate_keys(body: Body) -> Answer:
    """Create a new generation of keys now."""
    only(body)
    return {"keys": [_key(row) for row in signing_keys.rotate(at=clock.now())]}, 201


def enablements(_query: QueryDict) -> Answer:
    """Which applications are enabled at which organizations."""
    rows = SmartApplication.objects.order_by("pk")
    return {"enablements": [{"client_id": row.client_id, "tenants": row.enabled_tenants} for row in rows]}, 200


def decide(body: Body) -> Answer:
    """Enable or disable one application at one organization, or at all of them if `tenant` is absent."""
    only(body, "client_id", "tenant", "is_enabled")
    application = _application(body)
    tenants = [_tenant(body).pk] if "tenant" in body else list(Tenant.objects.values_list("pk", flat=True))
    is_enabled = take(body, "is_enabled", bool, default=True)
    for tenant in tenants:
        deciding.decide(application, tenant, is_enabled=is_enabled)
    application.refresh_from_db()
    return {"client_id": application.client_id, "tenants": application.enabled_tenants}, 200


def launch(body: Body) -> Answer:
    """Start a launch, as if somebody had pressed Start in the portal."""
    only(body, "client_id", "username", "tenant", "version", "patient_id", "encounter_id")
    account = Account.objects.filter(username=take(body, "username", str, ""), is_enrolled=True).first()
    if account is None:
        raise Wrong("nobody is enrolled by this username")
    try:
        started = starting.start(
            _application(body),
            account,
            _tenant(body),
            take(body, "version", str, "r4"),
            patient_id=take(body, "patient_id", str, ""),
            encounter_id=take(body, "encounter_id", str, ""),
            at=clock.now(),
        )
    except starting.LaunchRefused as refused:
        raise Wrong(str(refused)) from None
    return {"iss": started.iss, "launch": started.launch, "address": started.address}, 201


def announced(_query: QueryDict) -> Answer:
    """The origins that the discovery documents announce instead of ours."""
    now = rogue.announced()
    return {"authorize_origin": now.authorize_origin, "token_origin": now.token_origin}, 200


def announce(body: Body) -> Answer:
    """Make the discovery documents announce other origins; an absent or empty one means our own."""
    only(body, "authorize_origin", "token_origin")
    rogue.announce(rogue.Elsewhere(_origin(body, "authorize_origin"), _origin(body, "token_origin")))
    return announced(QueryDict())


def tell_the_truth(_query: QueryDict) -> Answer:
    """Make the discovery documents announce our own origin."""
    rogue.announce(rogue.Elsewhere())
    return announced(QueryDict())


def _key(row: SigningKey) -> dict[str, Any]:
    return {"kid": row.kid, "kty": row.kty, "purpose": row.purpose, "created_at": row.created_at.isoformat()}


def _application(body: Body) -> SmartApplication:
    application = SmartApplication.known(take(body, "client_id", str, ""))
    if application is None:
        raise Wrong("no application of interface B has this client_id")
    return application


def _tenant(body: Body) -> Tenant:
    tenant = Tenant.known(take(body, "tenant", str, ""))
    if tenant is None:
        raise Wrong("there is no such tenant")
    return tenant


def _origin(body: Body, name: str) -> str:
    origin = take(body, name, str, "")
    parts = urlsplit(origin)
    if origin and (parts.scheme not in {"http", "https"} or f"{parts.scheme}://{parts.netloc}" != origin):
        raise Wrong(f"{name} is scheme, host and port, such as http://127.0.0.1:8901")
    return origin
