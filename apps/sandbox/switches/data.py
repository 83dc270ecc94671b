"""The switches and scenarios of the data routes: shapes, paging, required parameters, error forms, media types."""

from apps.sandbox.switches.scenario import Scenario
from apps.sandbox.switches.switch import Switch

DATA_SWITCHES: dict[str, Switch] = {
    "patient_shape": Switch(
        ("patient", "bundle"), "patient", "What GET Patient answers for one person; several people are always a Bundle."
    ),
    "foreign_patient": Switch(
        ("404", "403"), "404", "The answer to reading a resource of somebody the token does not speak for."
    ),
    "required_parameters": Switch(
        ("a-like", "lenient", "b-like", "status-demanded"),
        "a-like",
        "Searches need: a-like a category for CarePlan (else 404) and a category or code for Observation (else 400); "
        "b-like the same, refused as plain text, and unknown parameters refused; status-demanded a status as well.",
    ),
    "page_size": Switch(("25", "1", "5", "10", "50", "100", "250"), "25", "Rows of a page when _count says nothing."),
    "page_limit": Switch(("250", "25", "100", "1000"), "250", "The most rows of a page, whatever _count says."),
    "paging": Switch(
        ("whole", "stops-short", "repeats", "foreign-host", "loops", "wrong-total", "no-total"),
        "whole",
        "Pages: stops-short ends after the second although total promises more; repeats begins a page with the last "
        "row of the one before; foreign-host and loops spoil the next link; wrong-total and no-total the count.",
    ),
    "link_case": Switch(
        ("capital", "as-asked"), "capital", "Links come back with /fhir/R4/, or as the request had it."
    ),
    "link_order": Switch(("next-first", "self-first"), "next-first", "Whether the next link stands before self."),
    "entry_mode": Switch(("present", "absent"), "present", "Whether matches say entry.search.mode."),
    "full_url": Switch(("proper", "lower-case", "absent"), "proper", "How entry.fullUrl spells the resource type."),
    "attachment_address": Switch(
        ("absolute", "relative", "foreign-host"), "absolute", "Where the addresses of documents point."
    ),
    "stray_rows": Switch(
        ("none", "stranger", "warning", "both"),
        "none",
        "What a first page holds besides the matches: a row of another patient, an OperationOutcome that warns.",
    ),
    "outcome": Switch(
        ("no-code", "with-code", "stack-trace", "plain-text", "html", "empty"),
        "no-code",
        "The body of a refusal: an OperationOutcome without code (as observed), with one, with a stack trace beside "
        "it, or none at all.",
    ),
    "data_content_type": Switch(
        ("fhir", "asked", "charset"),
        "fhir",
        "The media type of data: the version's own, the one asked for, or the version's own with a charset.",
    ),
}

DATA_SCENARIOS: dict[str, Scenario] = {
    "records-as-bundles": Scenario("GET Patient answers a Bundle.", {"patient_shape": "bundle"}),
    "small-pages": Scenario("Pages of five rows.", {"page_size": "5", "page_limit": "25"}),
    "pages-stop-short": Scenario("Pages end before the promised total.", {"paging": "stops-short"}),
    "pages-loop": Scenario("The next link leads back to the same page.", {"paging": "loops"}),
    "pages-lead-away": Scenario("The next link leads to another host.", {"paging": "foreign-host"}),
    "documents-elsewhere": Scenario("Document addresses lead to another host.", {"attachment_address": "foreign-host"}),
    "strangers-rows": Scenario("A row of another patient on every first page.", {"stray_rows": "stranger"}),
    "refusals-as-text": Scenario("Data routes refuse in plain text.", {"outcome": "plain-text"}),
    "searches-need-nothing": Scenario("No search needs a category or a code.", {"required_parameters": "lenient"}),
    "searches-need-status": Scenario("Searches need a status too.", {"required_parameters": "status-demanded"}),
    "careless-bundles": Scenario(
        "Bundles without modes, wrong totals, lower-case full URLs.",
        {"entry_mode": "absent", "paging": "wrong-total", "full_url": "lower-case"},
    ),
}
