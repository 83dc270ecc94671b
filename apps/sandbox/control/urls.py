"""Addresses below `/control/`. README.md of the sandbox has the bodies and answers."""

from django.urls import path

from apps.sandbox.control import (
    approval_levers,
    grant_levers,
    identity_levers,
    levers,
    pages,
    smart_levers,
    tenant_levers,
)
from apps.sandbox.control.door import door

urlpatterns = [
    path("", pages.page, name="control"),
    path("pull", pages.pull, name="control-pull"),
    path("state", door(get=levers.state)),
    path("clock", door(get=levers.time, post=levers.move_time)),
    path("switches", door(get=levers.switches, post=levers.choose, delete=levers.usual_switches)),
    path("scenarios", door(get=levers.scenario_list, post=levers.play)),
    path("faults", door(get=levers.fault_list, post=levers.arm, delete=levers.disarm)),
    path("requests", door(get=levers.recorded, delete=levers.forget_recorded)),
    path("applications", door(get=levers.applications, post=levers.install_application)),
    path("applications/switches", door(post=grant_levers.choose_own)),
    path("smart-applications", door(get=smart_levers.applications, post=smart_levers.install_application)),
    path("tenants", door(get=tenant_levers.tenants, post=tenant_levers.suspend)),
    path("approvals", door(get=approval_levers.approvals, post=approval_levers.decide)),
    path("accounts", door(get=levers.accounts, post=levers.enrol)),
    path("grants", door(get=grant_levers.grants, post=grant_levers.hand_out)),
    path("grants/end", door(post=levers.end_grants)),
    path("signing-keys", door(get=identity_levers.keys, post=identity_levers.rotate_keys)),
    path("enablements", door(get=identity_levers.enablements, post=identity_levers.decide)),
    path("launches", door(post=identity_levers.launch)),
    path(
        "rogue-root",
        door(get=identity_levers.announced, post=identity_levers.announce, delete=identity_levers.tell_the_truth),
    ),
    path("reset", door(post=levers.reset)),
]
