"""The switches and scenarios of bulk export (interface facts 4.3)."""

from apps.sandbox.faults import Fault
from apps.sandbox.switches.scenario import Scenario
from apps.sandbox.switches.switch import Switch

BULK_SWITCHES: dict[str, Switch] = {
    "bulk_polls": Switch(("2", "0", "1", "5"), "2", "How often the status of an export says that it runs still."),
    "bulk_retry_after": Switch(
        ("1", "120", "none"), "1", "How many seconds an export that runs asks to wait; none: it does not say."
    ),
    "bulk_pace": Switch(("free", "kept"), "free", "kept: a status that is asked for before that time answers 429."),
    "bulk_outcome": Switch(
        ("complete", "with-errors", "failed"),
        "complete",
        "What comes of an export: its files; also a file of what went wrong; or 500 with an OperationOutcome.",
    ),
    "bulk_delivery": Switch(
        ("redirected", "direct", "open"),
        "redirected",
        "How files are reached: with the token, and then 307 to a signed address on another origin; with the token; or "
        "at signed addresses, and requiresAccessToken is false.",
    ),
    "bulk_counts": Switch(
        ("told", "untold", "wrong"), "told", "Whether the list of files says how many lines each has."
    ),
    "bulk_ranges": Switch(("understood", "ignored"), "understood", "Whether parts of a file can be asked for."),
    "bulk_encoding": Switch(("plain", "gzip"), "plain", "How files travel to whoever takes gzip."),
    "bulk_rows_per_file": Switch(("1000", "10", "100"), "1000", "The most lines of one file."),
}

BULK_SCENARIOS: dict[str, Scenario] = {
    "bulk-slow": Scenario(
        "An export takes five looks, two minutes apart.", {"bulk_polls": "5", "bulk_retry_after": "120"}
    ),
    "bulk-strict": Scenario("Whoever looks too early is sent away.", {"bulk_pace": "kept", "bulk_retry_after": "120"}),
    "bulk-failed": Scenario("An export fails.", {"bulk_outcome": "failed"}),
    "bulk-cut": Scenario(
        "The next file of an export is cut in half.", faults=(Fault("data", "cut", path="/b/storage/"),)
    ),
    "bulk-miscounted": Scenario("The list of files counts wrong.", {"bulk_counts": "wrong"}),
}
