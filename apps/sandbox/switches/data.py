"""The switches and scenarios of the data routes: shapes, paging, required parameters, error forms, media types."""

from apps.sandbox.switches.scenario import Scenario
from apps.sandbox.switches.switch import Switch

DATA_SWITCHES: dict[str, Switch] = {}

DATA_SCENARIOS: dict[str, Scenario] = {}
