"""Values of a measurement: one small class for each kind.

R4 has all of them. DSTU2's Observation has no boolean and no integer value; `resources.observation_value` says what is
used instead.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from apps.sandbox.people.codes import Code


@dataclass(frozen=True)
class Amount:
    """A number with a unit; `unit` is shown, `code` is its UCUM code. The digits are kept as written ("13.20")."""

    number: str
    unit: str
    code: str
    comparator: str | None = None

    @property
    def decimal(self) -> Decimal:
        """The number with the digits it was written with."""
        return Decimal(self.number)


@dataclass(frozen=True)
class Coded:
    """One of a list of answers."""

    code: Code


@dataclass(frozen=True)
class Words:
    """Free text."""

    text: str


@dataclass(frozen=True)
class YesNo:
    """A statement that is true or false."""

    is_so: bool


@dataclass(frozen=True)
class Whole:
    """A score without a unit."""

    number: int


@dataclass(frozen=True)
class Span:
    """From a low to a high amount, such as cells per field."""

    low: Amount
    high: Amount


@dataclass(frozen=True)
class Proportion:
    """A titre: numerator to denominator."""

    numerator: int
    denominator: int


@dataclass(frozen=True)
class ClockTime:
    """A time of day, HH:MM:SS."""

    time: str


@dataclass(frozen=True)
class Moment:
    """A date or a time as FHIR writes it, possibly partial ("2025-03")."""

    written: str


@dataclass(frozen=True)
class Stretch:
    """From one time to another."""

    started_at: datetime
    ended_at: datetime


@dataclass(frozen=True)
class Waveform:
    """Samples at a fixed distance, such as one lead of an electrocardiogram."""

    origin: Amount
    period_milliseconds: int
    samples: str


@dataclass(frozen=True)
class Absent:
    """No value, and why: a code of the data-absent-reason list."""

    reason: str
    display: str


Value = Amount | Coded | Words | YesNo | Whole | Span | Proportion | ClockTime | Moment | Stretch | Waveform | Absent
