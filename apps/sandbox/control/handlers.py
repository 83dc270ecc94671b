"""What each control address does: read the body, change one thing, answer with the state that results."""

from datetime import datetime

from django.db.models import Q
from django.http import QueryDict

from apps.sandbox import clock, enrolment, faults, recorder, scenarios
from apps.sandbox.control import resetting, snapshots
from apps.sandbox.control.json_views import Body, Wrong, only, take, texts
from apps.sandbox.models import Account, Application, ApplicationStatus, Grant, SmartGrant
from apps.sandbox.patient_access import granting
from apps.sandbox.portal import registering
from apps.sandbox.registration import RequestRefused
from apps.sandbox.smart import ending

Answer = tuple[object, int]
_MOST_SECONDS = 100 * 366 * 86_400


def state(_query: QueryDict) -> Answer:
    """Clock, switches, faults and the number of recorded requests."""
    return snapshots.everything(), 200


def time(_query: QueryDict) -> Answer:
    """The clock."""
    return snapshots.time(), 200


def move_time(body: Body) -> Answer:
    """`move_seconds`, `set_to` or `reset`."""
    only(body, "move_seconds", "set_to", "reset")
    if len(body) != 1:
        raise Wrong("one of move_seconds, set_to and reset")
    if "move_seconds" in body:
        seconds = take(body, "move_seconds", float, 0.0)
        if not abs(seconds) <= _MOST_SECONDS:
            raise Wrong("that is more than a century")
        clock.move(seconds)
    elif "set_to" in body:
        clock.set_to(_moment(take(body, "set_to", str, "")))
    else:
        clock.reset()
    return snapshots.time(), 200


def switches(_query: QueryDict) -> Answer:
    """Every switch."""
    return snapshots.switches(), 200


def choose(body: Body) -> Answer:
    """Set switches by name. Sets all of them, or none if one is wrong."""
    for name, value in body.items():
        if not isinstance(value, str) or value not in _values(name):
            raise Wrong(f"{name} is one of {', '.join(_values(name))}")
    for name, value in body.items():
        scenarios.choose(name, value)
    return snapshots.switches(), 200


def usual_switches(_query: QueryDict) -> Answer:
    """Reset every switch to its default; faults stay armed."""
    for name, switch in scenarios.SWITCHES.items():
        scenarios.choose(name, switch.default)
    return snapshots.switches(), 200


def scenario_list(_query: QueryDict) -> Answer:
    """Every named scenario."""
    return {name: {"explains": scenario.explains} for name, scenario in scenarios.SCENARIOS.items()}, 200


def play(body: Body) -> Answer:
    """Play the scenario with this `name`."""
    only(body, "name")
    try:
        scenarios.play(take(body, "name", str, ""))
    except scenarios.UnknownChoice as unknown:
        raise Wrong(str(unknown)) from None
    return snapshots.everything(), 200


def fault_list(_query: QueryDict) -> Answer:
    """The faults that are armed."""
    return snapshots.armed_faults(), 200


def arm(body: Body) -> Answer:
    """Arm one fault, with the fields of `faults.Fault`."""
    only(body, "route", "kind", "count", "path", "after", "seconds", "retry_after", "lasts_seconds")
    try:
        fault = faults.Fault(
            route=take(body, "route", str, ""),
            kind=take(body, "kind", str, ""),
            count=None if body.get("count", 1) is None else take(body, "count", int, 1),
            path=take(body, "path", str, ""),
            after=take(body, "after", int, 0),
            seconds=take(body, "seconds", float, 5.0),
            retry_after=take(body, "retry_after", str, "2"),
            lasts_seconds=take(body, "lasts_seconds", float, 0.0) or None,
        )
    except ValueError as wrong:
        raise Wrong(str(wrong)) from None
    faults.arm(fault)
    return snapshots.armed_faults(), 201


def disarm(query: QueryDict) -> Answer:
    """Disarm all faults, or those of `?route=`."""
    faults.disarm(query.get("route"))
    return snapshots.armed_faults(), 200


def recorded(query: QueryDict) -> Answer:
    """Recorded requests, filtered by `since`, `path` and `method`."""
    since = query.get("since", "0")
    if not since.isdecimal():
        raise Wrong("since must be a whole number")
    rows = recorder.requests(since=int(since), path=query.get("path", ""), method=query.get("method", ""))
    return {"requests": [snapshots.recorded(row) for row in rows]}, 200


def forget_recorded(_query: QueryDict) -> Answer:
    """Delete the recorded requests."""
    recorder.clear()
    return {"requests": []}, 200


def applications(_query: QueryDict) -> Answer:
    """Every application, without secrets."""
    return {"applications": [snapshots.application(row) for row in Application.objects.order_by("pk")]}, 200


def install_application(body: Body) -> Answer:
    """Install an application with working credentials (or in another `status`)."""
    only(body, "name", "redirect_uris", "versions", "client_id", "client_secret", "status")
    status = take(body, "status", str, ApplicationStatus.APPROVED.value)
    if status not in ApplicationStatus.values:
        raise Wrong(f"status is one of {', '.join(ApplicationStatus.values)}")
    client_id, secret = take(body, "client_id", str, ""), take(body, "client_secret", str, "")
    if bool(client_id) != bool(secret) or len(client_id) > 80 or len(take(body, "name", str, "")) > 120:
        raise Wrong("client_id and client_secret come together; an id has 80 characters at most, a name 120")
    try:
        application, credentials = registering.install(
            take(body, "name", str, "Application"),
            texts(body, "redirect_uris"),
            texts(body, "versions"),
            credentials=registering.Credentials(client_id, secret) if client_id else None,
            status=ApplicationStatus(status),
            at=clock.now(),
        )
    except RequestRefused as refused:
        raise Wrong(str(refused)) from None
    return {**snapshots.application(application), "client_secret": credentials.secret}, 201


def accounts(_query: QueryDict) -> Answer:
    """Every account."""
    return {"accounts": [snapshots.account(row) for row in Account.objects.order_by("username")]}, 200


def enrol(body: Body) -> Answer:
    """Enrol one account."""
    only(body, "username", "password", "display_name", "patients", "practice", "about")
    patients = take(body, "patients", dict, {})
    only(patients, *enrolment.VERSIONS)
    try:
        account = enrolment.enrol(
            take(body, "username", str, ""),
            take(body, "password", str, ""),
            take(body, "display_name", str, ""),
            {version: texts(patients, version) for version in patients},
            practice=take(body, "practice", str, ""),
            about=take(body, "about", str, "")[:200],
        )
    except enrolment.EnrolmentRefused as refused:
        raise Wrong(str(refused)) from None
    return snapshots.account(account), 201


def end_grants(body: Body) -> Answer:
    """End the grants of one application or one account, or all grants, of either interface."""
    only(body, "client_id", "username")
    narrowed = Q()
    if client_id := take(body, "client_id", str, ""):
        narrowed &= Q(application__client_id=client_id)
    if username := take(body, "username", str, ""):
        narrowed &= Q(account__username=username)
    at, reason = clock.now(), "ended over the control address"
    ended = granting.end(Grant.objects.filter(narrowed), reason=reason, at=at)
    ended += ending.end(SmartGrant.objects.filter(narrowed), reason=reason, at=at)
    return {"ended": ended}, 200


def reset(_body: Body) -> Answer:
    """Reset the sandbox."""
    resetting.reset()
    return snapshots.everything(), 200


def _values(name: str) -> tuple[str, ...]:
    if name not in scenarios.SWITCHES:
        raise Wrong(f"no switch {name}; there are {', '.join(sorted(scenarios.SWITCHES))}")
    return scenarios.SWITCHES[name].values


def _moment(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise Wrong("set_to must be a time such as 2026-01-01T00:00:00Z") from None
    if at.tzinfo is None or not 1950 < at.year < 2150:
        raise Wrong("set_to needs a time zone and a year of our lives")
    return at
