"""The switch of the pages where developers register: whether they wait for an administrator."""

from apps.sandbox.switches.scenario import Scenario
from apps.sandbox.switches.switch import Switch

REGISTERING_SWITCHES: dict[str, Switch] = {
    # Specification 1.2 and 5.2.7: an administrator approves, which "may take a few business days".
    "approval": Switch(
        ("manual", "instant"),
        "manual",
        "instant: applications of the portal and system accounts are approved as soon as they are asked for.",
    ),
}

REGISTERING_SCENARIOS: dict[str, Scenario] = {
    "instant-approval": Scenario(
        "Nobody waits for an administrator: what developers ask for is approved at once.", {"approval": "instant"}
    ),
}
