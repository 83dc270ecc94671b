"""What happened to a person, independent of the FHIR version.

Each fact has a `key`, unique among the facts of its kind in one story. Resources refer to each other by these keys, and
their logical ids are derived from them. Times are aware datetimes, dates are dates. `note` is free text. `visit` is the
key of the Visit at which the fact was recorded.
"""

from dataclasses import dataclass
from datetime import date, datetime

from apps.sandbox.people.codes import Code
from apps.sandbox.people.person import Person
from apps.sandbox.people.values import Amount, Value

BY_MOUTH = Code("http://snomed.info/sct", "26643006", "Oral route")


@dataclass(frozen=True)
class Visit:
    """A meeting with the practice, in a setting: ambulatory, emergency, inpatient, home or virtual."""

    key: str
    at: datetime
    minutes: int
    setting: str
    kind: Code
    practitioner: str
    reason: Code | None = None
    status: str = "finished"


@dataclass(frozen=True)
class Diagnosis:
    """A problem, an encounter diagnosis or a health concern. Clinical status follows from `abated_on`."""

    key: str
    codes: tuple[Code, ...]
    onset_on: date
    recorded_on: date
    abated_on: date | None = None
    category: str = "problem-list-item"
    severity: Code | None = None
    verification: str = "confirmed"
    note: str | None = None
    visit: str | None = None
    is_in_remission: bool = False


@dataclass(frozen=True)
class Reaction:
    """What an allergen did: mild, moderate or severe."""

    manifestation: Code
    severity: str
    text: str | None = None


@dataclass(frozen=True)
class Allergy:
    """An allergy or intolerance. Criticality is low, high or unable-to-assess; status active, inactive or resolved."""

    key: str
    substance: Code
    kind: str
    category: str
    criticality: str
    recorded_at: datetime
    reactions: tuple[Reaction, ...] = ()
    onset_on: date | None = None
    status: str = "active"
    verification: str = "confirmed"
    note: str | None = None


@dataclass(frozen=True)
class Regimen:
    """How a drug is taken: the sentence on the label and its parts."""

    sentence: str
    amount: Amount
    times: int
    per: int = 1
    unit: str = "d"
    route: Code = BY_MOUTH
    as_needed: bool = False


@dataclass(frozen=True)
class Prescription:
    """A prescribed drug. The status is in R4's words; `is_reported` if the patient reported it."""

    key: str
    drug: Code
    regimen: Regimen
    written_at: datetime
    practitioner: str
    status: str = "active"
    ends_on: date | None = None
    reason: Code | None = None
    refills: int = 3
    note: str | None = None
    visit: str | None = None
    is_reported: bool = False


@dataclass(frozen=True)
class Intake:
    """A drug the patient says they take, or do not take."""

    key: str
    drug: Code
    since: date
    asserted_at: datetime
    is_taken: bool = True
    until: date | None = None
    text: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class Handing:
    """A pharmacy dispensed a prescribed drug."""

    key: str
    prescription: str
    drug: Code
    quantity: Amount
    days: int
    prepared_at: datetime
    handed_over_at: datetime


@dataclass(frozen=True)
class Measurement:
    """One finding: laboratory, vital sign, social history and so on. Interpretation is a v3 code (H, L, N …)."""

    key: str
    code: Code
    at: datetime
    value: Value | None
    category: str
    low: Amount | None = None
    high: Amount | None = None
    reference_text: str | None = None
    interpretation: str | None = None
    components: tuple[tuple[Code, Value], ...] = ()
    status: str = "final"
    note: str | None = None
    visit: str | None = None
    specimen: str | None = None
    method: Code | None = None
    site: Code | None = None
    issued_at: datetime | None = None


@dataclass(frozen=True)
class Sample:
    """A specimen that was taken."""

    key: str
    kind: Code
    taken_at: datetime
    accession: str


@dataclass(frozen=True)
class Report:
    """A diagnostic report: laboratory panel (category LAB), or an image or test with its reading. `text` is sent
    inline."""

    key: str
    code: Code
    category: Code
    at: datetime
    issued_at: datetime
    results: tuple[str, ...] = ()
    conclusion: str | None = None
    conclusion_code: Code | None = None
    text: str | None = None
    status: str = "final"
    visit: str | None = None
    specimen: str | None = None
    document: str | None = None


@dataclass(frozen=True)
class Vaccination:
    """A vaccine, given or not. Status: completed, not-done or entered-in-error."""

    key: str
    vaccine: Code
    at: datetime
    lot: str | None = None
    dose: int | None = None
    status: str = "completed"
    reason: Code | None = None
    is_reported: bool = False
    site: Code | None = None
    note: str | None = None
    visit: str | None = None


@dataclass(frozen=True)
class Operation:
    """A procedure, done or not. Status: completed, not-done, in-progress, entered-in-error."""

    key: str
    code: Code
    started_at: datetime
    minutes: int
    practitioner: str
    status: str = "completed"
    reason: Code | None = None
    site: Code | None = None
    outcome: Code | None = None
    implant: str | None = None
    note: str | None = None
    visit: str | None = None


@dataclass(frozen=True)
class Implant:
    """A device in or on the body, with its unique device identifier."""

    key: str
    kind: Code
    maker: str
    model: str
    serial: str
    identifier: str
    made_on: date
    expires_on: date | None = None
    status: str = "active"


@dataclass(frozen=True)
class Aim:
    """A goal the patient and the practice agreed on."""

    key: str
    text: str
    agreed_on: date
    due_on: date
    status: str = "active"
    achievement: str = "in-progress"
    measured: Code | None = None
    target: Amount | None = None
    concern: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class Plan:
    """Assessment and plan of treatment, with its activities as sentences."""

    key: str
    title: str
    text: str
    started_on: date
    activities: tuple[str, ...]
    concerns: tuple[str, ...] = ()
    aims: tuple[str, ...] = ()
    status: str = "active"
    ended_on: date | None = None


@dataclass(frozen=True)
class Team:
    """Who looks after the patient: pairs of practitioner key and role."""

    key: str
    name: str
    since: date
    members: tuple[tuple[str, Code], ...]
    status: str = "active"


@dataclass(frozen=True)
class Document:
    """A document with its file. `inline` puts the content into the resource instead of a URL."""

    key: str
    kind: Code
    title: str
    at: datetime
    author: str
    content_type: str
    content: bytes
    inline: bool = False
    status: str = "current"
    visit: str | None = None


@dataclass(frozen=True)
class Insurance:
    """A health plan that covers the patient."""

    key: str
    plan: str
    member_number: str
    group: str
    since: date
    until: date | None = None
    status: str = "active"


@dataclass(frozen=True)
class Request:
    """Something ordered: a laboratory test, an image, a referral."""

    key: str
    code: Code
    category: Code
    authored_at: datetime
    practitioner: str
    status: str = "completed"
    reason: Code | None = None
    visit: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class Answers:
    """The filled questionnaire: question number to answer (0 to 3)."""

    key: str
    at: datetime
    answers: tuple[int, ...]


@dataclass(frozen=True)
class Relative:
    """Somebody close to the patient whom the practice knows."""

    key: str
    name: tuple[str, str]
    relationship: Code
    gender: str
    telephone: str
    since: date


Fact = (
    Visit
    | Diagnosis
    | Allergy
    | Prescription
    | Intake
    | Handing
    | Measurement
    | Sample
    | Report
    | Vaccination
    | Operation
    | Implant
    | Aim
    | Plan
    | Team
    | Document
    | Insurance
    | Request
    | Answers
    | Relative
)


@dataclass(frozen=True)
class Story:
    """A person and what happened to them, in any order."""

    person: Person
    facts: tuple[Fact, ...]
