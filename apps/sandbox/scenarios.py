"""The current values of the switches, and scenarios, which set several switches by one name.

Values live in the process and are lost with a restart. The tables are in `apps.sandbox.switches`, apart from the routes
that read them, so that there are no circular imports.
"""

from apps.sandbox import faults
from apps.sandbox.switches.authorization import AUTHORIZATION_SCENARIOS, AUTHORIZATION_SWITCHES
from apps.sandbox.switches.bulk import BULK_SCENARIOS, BULK_SWITCHES
from apps.sandbox.switches.data import DATA_SCENARIOS, DATA_SWITCHES
from apps.sandbox.switches.data_faults import DATA_FAULT_SCENARIOS
from apps.sandbox.switches.lawful import LAWFUL_SCENARIOS
from apps.sandbox.switches.registering import REGISTERING_SCENARIOS, REGISTERING_SWITCHES
from apps.sandbox.switches.scenario import Scenario
from apps.sandbox.switches.smart import SMART_SCENARIOS, SMART_SWITCHES
from apps.sandbox.switches.smart_data import SMART_DATA_SCENARIOS, SMART_DATA_SWITCHES
from apps.sandbox.switches.smart_identity import SMART_IDENTITY_SCENARIOS, SMART_IDENTITY_SWITCHES
from apps.sandbox.switches.switch import Switch

SWITCHES: dict[str, Switch] = {
    **AUTHORIZATION_SWITCHES,
    **DATA_SWITCHES,
    **SMART_SWITCHES,
    **SMART_IDENTITY_SWITCHES,
    **SMART_DATA_SWITCHES,
    **BULK_SWITCHES,
    **REGISTERING_SWITCHES,
}
SCENARIO_GROUPS: dict[str, dict[str, Scenario]] = {
    "whole": {"usual": Scenario("Everything as the specification says: every switch and fault undone.")},
    "lawful": LAWFUL_SCENARIOS,
    "registering": REGISTERING_SCENARIOS,
    "authorization": AUTHORIZATION_SCENARIOS,
    "smart": SMART_SCENARIOS,
    "identity": SMART_IDENTITY_SCENARIOS,
    "roots": SMART_DATA_SCENARIOS,
    "bulk": BULK_SCENARIOS,
    "data": {**DATA_FAULT_SCENARIOS, **DATA_SCENARIOS},
}
SCENARIOS: dict[str, Scenario] = {name: row for group in SCENARIO_GROUPS.values() for name, row in group.items()}

# Switches that may differ for one application, as if it were registered at another server.
OF_APPLICATIONS = (
    *("rotation", "rotation_grace", "rotation_reuse"),
    *("refresh_throttle", "access_token_seconds", "smart_access_seconds"),
)

_chosen: dict[str, str] = {}
_of_application: dict[tuple[str, str], str] = {}


class UnknownChoice(Exception):
    """There is no such switch, value or scenario; the text lists those that exist."""


def chosen(name: str, *, client_id: str | None = None) -> str:
    """The value of the switch `name`, for an application if it may have its own (`OF_APPLICATIONS`). Raises KeyError
    for a switch that does not exist, which is a bug."""
    own = _of_application.get((client_id, name)) if client_id else None
    return own or _chosen.get(name) or SWITCHES[name].default


def is_usual(name: str) -> bool:
    """Whether the switch `name` has its default."""
    return chosen(name) == SWITCHES[name].default


def choose(name: str, value: str, *, client_id: str | None = None) -> None:
    """Set the switch `name` to `value`, for one application only if that is given. Raises UnknownChoice."""
    switch = SWITCHES.get(name)
    if switch is None:
        raise UnknownChoice(f"no switch {name!r}; there are {', '.join(sorted(SWITCHES))}")
    if value not in switch.values:
        raise UnknownChoice(f"{name} is one of {', '.join(switch.values)}")
    if client_id is None:
        _chosen[name] = value
    elif name in OF_APPLICATIONS:
        _of_application[client_id, name] = value
    else:
        raise UnknownChoice(f"of one application alone: {', '.join(OF_APPLICATIONS)}")


def reset() -> None:
    """Reset everything: every switch to its default, no fault armed."""
    _chosen.clear()
    _of_application.clear()
    faults.disarm()


def own(client_id: str) -> dict[str, str]:
    """The switches that an application has for itself."""
    return {name: value for (whose, name), value in _of_application.items() if whose == client_id}


def differing() -> dict[str, str]:
    """The switches that differ from their default."""
    return {name: value for name, value in _chosen.items() if value != SWITCHES[name].default}


def play(name: str) -> Scenario:
    """Set the switches and arm the faults of a scenario, on top of the current ones. Raises UnknownChoice."""
    scenario = SCENARIOS.get(name)
    if scenario is None:
        raise UnknownChoice(f"no scenario {name!r}; there are {', '.join(sorted(SCENARIOS))}")
    if name == "usual":
        reset()
    for switch, value in scenario.switches.items():
        choose(switch, value)
    for fault in scenario.faults:
        faults.arm(fault)
    return scenario
