"""The FHIR root of a request: its data, its URL, and how its server behaves."""

from dataclasses import dataclass

from apps.sandbox.fhir.realm import Realm


@dataclass(frozen=True)
class Root:
    """`base` is its URL with the trailing slash. The rest is the server's behavior by the current switches.

    `required_parameters` is one of the dialects of `searching`; `page_parameter` has the cursor of the next page, and
    `page_extras` are added to it. If `optional_parameters` is False, no search parameter is understood that is not
    required. `bare_patient_search` is the answer to GET Patient without any parameter: one Patient ("patient"), a
    Bundle ("bundle"), or a 400 ("refused").
    """

    realm: Realm
    base: str
    required_parameters: str
    page_size: int
    bare_patient_search: str
    page_parameter: str = "page"
    page_extras: tuple[tuple[str, str], ...] = ()
    optional_parameters: bool = True

    @property
    def version(self) -> str:
        """The FHIR version: "dstu2" or "r4"."""
        return self.realm.version
