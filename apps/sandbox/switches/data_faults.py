"""Scenarios in which the data routes and metadata fail, whatever they serve (X70)."""

from apps.sandbox.faults import Fault
from apps.sandbox.switches.scenario import Scenario

DATA_FAULT_SCENARIOS: dict[str, Scenario] = {
    "data-throttled": Scenario("The next 3 data requests: 429.", faults=(Fault("data", "throttled", 3),)),
    "data-down": Scenario("Every data request: 500.", faults=(Fault("data", "error", None),)),
    "data-flaky": Scenario("The third data request from now: 502.", faults=(Fault("data", "bad-gateway", after=2),)),
    "data-slow": Scenario("The next data answer comes 20 s late.", faults=(Fault("data", "slow", seconds=20),)),
    "data-dribbles": Scenario(
        "The next data answer arrives one byte a second.", faults=(Fault("data", "dribble", seconds=1),)
    ),
    "data-cut": Scenario("The next data answer is cut in half.", faults=(Fault("data", "cut"),)),
    "data-html": Scenario("The next data answer is a web page.", faults=(Fault("data", "html"),)),
    "data-wrong-type": Scenario("The next data answer calls itself text.", faults=(Fault("data", "wrong-type"),)),
    "data-empty": Scenario("The next data answer is empty.", faults=(Fault("data", "empty"),)),
    "pages-expire": Scenario(
        "The next page that a link leads to is gone: 410.", faults=(Fault("data", "gone", path="page"),)
    ),
    "category-withheld": Scenario(
        "Every search for what was measured as a vital sign: 403.",
        faults=(Fault("data", "forbidden", None, path="category=vital-signs"),),
    ),
    "metadata-down": Scenario("Every metadata request: 503.", faults=(Fault("metadata", "unavailable", None),)),
}
