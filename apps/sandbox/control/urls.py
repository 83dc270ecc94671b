"""URLs below `/control/`. The sandbox's README.md documents request and response bodies."""

from django.urls import path

from apps.sandbox.control import (
    approval_handlers,
    grant_handlers,
    handlers,
    identity_handlers,
    pages,
    smart_handlers,
    tenant_handlers,
)
from apps.sandbox.control.json_views import json_view

urlpatterns = [
    path("", pages.page, name="control"),
    path("pull", pages.pull, name="control-pull"),
    path("state", json_view(get=handlers.state)),
    path("clock", json_view(get=handlers.time, post=handlers.move_time)),
    path("switches", json_view(get=handlers.switches, post=handlers.choose, delete=handlers.usual_switches)),
    path("scenarios", json_view(get=handlers.scenario_list, post=handlers.play)),
    path("faults", json_view(get=handlers.fault_list, post=handlers.arm, delete=handlers.disarm)),
    path("requests", json_view(get=handlers.recorded, delete=handlers.forget_recorded)),
    path("applications", json_view(get=handlers.applications, post=handlers.install_application)),
    path("applications/switches", json_view(post=grant_handlers.choose_own)),
    path("smart-applications", json_view(get=smart_handlers.applications, post=smart_handlers.install_application)),
    path("tenants", json_view(get=tenant_handlers.tenants, post=tenant_handlers.suspend)),
    path("approvals", json_view(get=approval_handlers.approvals, post=approval_handlers.decide)),
    path("accounts", json_view(get=handlers.accounts, post=handlers.enrol)),
    path("grants", json_view(get=grant_handlers.grants, post=grant_handlers.grant_directly)),
    path("grants/end", json_view(post=handlers.end_grants)),
    path("signing-keys", json_view(get=identity_handlers.keys, post=identity_handlers.rotate_keys)),
    path("enablements", json_view(get=identity_handlers.enablements, post=identity_handlers.decide)),
    path("launches", json_view(post=identity_handlers.launch)),
    path(
        "rogue-root",
        json_view(
            get=identity_handlers.announced, post=identity_handlers.announce, delete=identity_handlers.tell_the_truth
        ),
    ),
    path("reset", json_view(post=handlers.reset)),
]
