"""The control addresses of grants: list them, with how often each was refreshed and which refresh token is valid; and
create any number of grants directly.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict

from apps.sandbox import clock, refresh_counts, scenarios
from apps.sandbox.control.json_views import Answer, Body, Wrong, only, take
from apps.sandbox.models import (
    Account,
    Application,
    Grant,
    RefreshToken,
    SmartApplication,
    SmartGrant,
    SmartRefreshToken,
)
from apps.sandbox.patient_access import direct_grants as patient_access
from apps.sandbox.smart import direct_grants as smart
from apps.sandbox.smart import ending

_FINGERPRINT_DIGITS = 8  # of the SHA-256: enough to distinguish them
_MOST = 5_000


def grants(query: QueryDict) -> Answer:
    """Every grant of one application, by `client_id`; with `times=1` also the times of its latest refreshes."""
    client_id, at = query.get("client_id", ""), clock.now()
    if "\0" in client_id or not client_id:
        raise Wrong("client_id names the application whose grants are meant")
    with_times = query.get("times") == "1"
    ours = Grant.objects.filter(application__client_id=client_id).select_related("account").order_by("pk")
    theirs = SmartGrant.objects.filter(application__client_id=client_id).select_related("account").order_by("pk")
    live = {**_live(client_id, at), **_live_of_smart(client_id, at)}
    rows = [
        *(_row(f"a-{grant.pk}", grant, live, with_times=with_times) for grant in ours),
        *(_row(f"b-{grant.pk}", grant, live, with_times=with_times) for grant in theirs),
    ]
    return {"grants": rows}, 200


def grant_directly(body: Body) -> Answer:
    """Create `number` grants of one account for one application; with `tenant`, grants of interface B."""
    only(body, "client_id", "username", "version", "tenant", "number")
    client_id, version = take(body, "client_id", str, ""), take(body, "version", str, "r4")
    number, tenant = take(body, "number", int, 1), take(body, "tenant", str, "")
    account = Account.objects.filter(username=take(body, "username", str, ""), is_enrolled=True).first()
    if account is None or not account.patient_ids(version, tenant):
        raise Wrong("username is somebody enrolled, with a record in this version (and of this tenant)")
    if not 1 <= number <= _MOST:
        raise Wrong(f"number is at least 1 and at most {_MOST}")
    made: list[Any]
    if tenant:
        made = smart.grant_directly(
            _known(SmartApplication.known(client_id)),
            account,
            tenant=tenant,
            version=version,
            number=number,
            at=clock.now(),
        )
    else:
        made = patient_access.grant_directly(
            _known(Application.known(client_id)), account, version=version, number=number, at=clock.now()
        )
    kind = "b" if tenant else "a"
    return {"grants": [{"grant": f"{kind}-{grant.pk}", **answer} for grant, answer in made]}, 201


def choose_own(body: Body) -> Answer:
    """Set switches for one application only. Sets all of them, or none if one is wrong."""
    only(body, "client_id", *scenarios.OF_APPLICATIONS)
    client_id = take(body, "client_id", str, "")
    wanted = {name: value for name, value in body.items() if name != "client_id"}
    for name, value in wanted.items():
        if value not in scenarios.SWITCHES[name].values:
            raise Wrong(f"{name} is one of {', '.join(scenarios.SWITCHES[name].values)}")
    for name, value in wanted.items():
        scenarios.choose(name, value, client_id=client_id)
    return {"client_id": client_id, "switches": scenarios.own(client_id)}, 200


def _known(application: Any) -> Any:
    if application is None:
        raise Wrong("no application has this client_id")
    return application


def _row(name: str, grant: Grant | SmartGrant, live: dict[str, list[str]], *, with_times: bool) -> dict[str, Any]:
    count = refresh_counts.counted(name)
    return {
        "grant": name,
        "username": grant.account.username,
        "end_reason": grant.end_reason,
        "live": live.get(name, []),
        "calls": count.calls,
        "answered": count.answered,
        "lost": count.lost,
        "refused": count.refused,
        "most_at_once": count.most_at_once,
        "shortest_seconds": count.shortest_seconds,
        "shortest_after_answer_seconds": count.shortest_after_answer_seconds,
        **({"times": [at.isoformat() for at in count.times]} if with_times else {}),
    }


def _live(client_id: str, at: datetime) -> dict[str, list[str]]:
    """Fingerprints of the refresh tokens that are valid now, by grant, in the order of their issue."""
    tokens = RefreshToken.objects.filter(
        grant__application__client_id=client_id, grant__ended_at=None, expires_at__gt=at
    )
    return _fingerprints(tokens, client_id, at)


def _live_of_smart(client_id: str, at: datetime) -> dict[str, list[str]]:
    tokens = SmartRefreshToken.objects.filter(grant__application__client_id=client_id, grant__ended_at=None)
    idle = [token.pk for token in tokens.select_related("grant") if at >= ending.idle_until(token.grant)]
    return _fingerprints(tokens.exclude(pk__in=idle), client_id, at)


def _fingerprints(
    tokens: QuerySet[RefreshToken] | QuerySet[SmartRefreshToken], client_id: str, at: datetime
) -> dict[str, list[str]]:
    grace = timedelta(seconds=int(scenarios.chosen("rotation_grace", client_id=client_id)))
    found: dict[str, list[str]] = {}
    for token in tokens.order_by("issued_at"):
        if token.rotated_at is None or (grace and at <= token.rotated_at + grace):
            found.setdefault(refresh_counts.of(token), []).append(token.sha256[:_FINGERPRINT_DIGITS])
    return found
