"""The organizations of interface B: who they are, and what each knows about the cast.

All of them know the same people by the same ids. Willow Creek stores the same as in interface A; Riverside, a hospital,
has its own staff, and knows nothing after 2023 except one visit of its own, so that every resource differs.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from apps.sandbox.people import rendering, riverside
from apps.sandbox.people.clinic import WILLOW_CREEK, Clinic, Practitioner
from apps.sandbox.people.codes import Code, snomed
from apps.sandbox.people.facts import Fact, Story


@dataclass(frozen=True)
class Organization:
    """One tenant: its id, its practice in the directory, and its version of a story."""

    tenant_id: str
    practice: str
    clinic: Clinic
    told_until: datetime | None = None
    also_told: tuple[Fact, ...] = ()

    @property
    def name(self) -> str:
        """What patients call it."""
        return self.clinic.name

    def retold(self, story: Story) -> Story:
        """The story as far as this organization knows it. What it leaves out, nothing later refers to."""
        until = self.told_until
        known = [fact for fact in story.facts if until is None or rendering.told_at(fact) < until]
        return Story(story.person, (*known, *self.also_told))


ORGANIZATIONS = (
    Organization("5c2d9c1a-7e64-4b0f-9d53-0f8a6b1e2c37", "willow-creek-family-medicine", WILLOW_CREEK),
    Organization(
        "-Zr8vQ2mXt5kWb7nJc4dLh9sPf3gYy1T",
        "riverside-university-hospital",
        riverside.RIVERSIDE,
        datetime(2024, 1, 1, tzinfo=UTC),
        riverside.check_in(),
    ),
)
SUSPENDED = ("e1f7a3b0-2c48-4d96-8a15-b0c9d7e6f524", "Old Harbor Infirmary")  # an organization that left

CLINICIAN_ID = "c1f0b7de-3a52-4c88-9e64-2d7a90b5e413"  # the same in both versions: an account has one practitioner
CLINICIAN = Practitioner(
    "haddad", "Noor", "Haddad", "MD", "female", "9990000073",
    snomed("419772000", "Family practice"),
    Code("http://nucc.org/provider-taxonomy", "207Q00000X", "Family Medicine Physician"),
)  # fmt: skip
