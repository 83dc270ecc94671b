"""The patient of a story; invented."""

from dataclasses import dataclass
from datetime import date

from apps.sandbox.people.codes import Code


@dataclass(frozen=True)
class Address:
    """Where somebody lives; invented."""

    line: str
    city: str
    state: str
    postal_code: str


@dataclass(frozen=True)
class Person:
    """The patient of a story."""

    key: str
    given: tuple[str, ...]
    family: str
    gender: str
    born: date
    telephone: str
    mail: str
    address: Address
    record_number: str
    language: Code
    race: Code
    ethnicity: Code
    former_family: str | None = None
    marital_status: Code | None = None
    twin: bool = False

    @property
    def name(self) -> str:
        """The name as one would say it."""
        return f"{self.given[0]} {self.family}"
