"""Scenarios of lawful differences between servers, with all of which a client must work: one scenario for each.

Every row is lawful by the specification, by RFC 6749, 7636 or 9207, by OpenID Connect Core, or by what SMART App Launch
leaves open. A row that is in another table, too, is the same there.
"""

from apps.sandbox.switches.scenario import Scenario
from apps.sandbox.switches.smart import SMART_SCENARIOS
from apps.sandbox.switches.smart_data import SMART_DATA_SCENARIOS
from apps.sandbox.switches.smart_identity import SMART_IDENTITY_SCENARIOS

LAWFUL_SCENARIOS: dict[str, Scenario] = {
    "always-rotating": Scenario(
        "Every refresh hands out a new refresh token, and the old one ends its grant when it comes again.",
        {"rotation": "on", "rotation_reuse": "ends-grant"},
    ),
    "pkce-needed": SMART_SCENARIOS["pkce-needed"],
    "long-state": SMART_SCENARIOS["long-state"],
    "bearer-in-lower-case": Scenario("The token type is spelled bearer.", {"token_type_case": "bearer"}),
    "empty-refusals": Scenario(
        "400, 401, 403 and 404 come with nothing in them, from data and token addresses alike.",
        {"smart_refusals": "empty", "outcome": "empty", "token_error_form": "empty"},
    ),
    "plain-text-refusals": Scenario(
        "Data addresses refuse with a line of plain text.", {"smart_refusals": "plain-text", "outcome": "plain-text"}
    ),
    "bare-refusals": SMART_DATA_SCENARIOS["bare-refusals"],
    "issuer-in-answers": SMART_IDENTITY_SCENARIOS["issuer-in-answers"],
    "offline-needs-prompt": SMART_SCENARIOS["offline-needs-prompt"],
    "slashes-matter": SMART_SCENARIOS["slashes-matter"],
    "plain-json": SMART_DATA_SCENARIOS["plain-json"],
    "patient-kept-back": SMART_SCENARIOS["patient-kept-back"],
    "metadata-alone": SMART_DATA_SCENARIOS["metadata-alone"],
    "strict-searches": SMART_DATA_SCENARIOS["strict-searches"],
    "launch-without-visit": Scenario(
        "A launch from the portal never tells which visit was open.", {"launch_encounter": "never"}
    ),
    "deep-roots": Scenario("FHIR roots lie three segments below the tenant.", {"root_path": "deep"}),
    "several-audiences": SMART_IDENTITY_SCENARIOS["several-audiences"],
    "older-token-address": SMART_SCENARIOS["older-token-address"],
    "relative-addresses": SMART_DATA_SCENARIOS["relative-addresses"],
}
