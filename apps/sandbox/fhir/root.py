"""The FHIR root a request came to, as far as answers depend on it: its data, its address, and its server's habits."""

from dataclasses import dataclass

from apps.sandbox.fhir.realm import Realm


@dataclass(frozen=True)
class Root:
    """`base` is its address with the closing slash. The rest is what its server does as the switches stand.

    `required_parameters` is one of the dialects of `searching`; `page_parameter` carries the place of the next page,
    and `page_extras` come along with it. With `optional_parameters` False nothing is understood that a search can do
    without. `bare_patient_search` says what GET Patient without any parameter answers: one Patient as it is
    ("patient"), a Bundle ("bundle"), or nothing but 400 ("refused").
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
