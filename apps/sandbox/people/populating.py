"""Putting people into the sandbox: their records in both versions, and the credentials that open them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db import transaction

from apps.sandbox import enrolment
from apps.sandbox.fhir import store
from apps.sandbox.models import Resource, StoredFile
from apps.sandbox.people import inventing, rendering, telling
from apps.sandbox.people.cast import CAST, Member
from apps.sandbox.people.chart import Chart
from apps.sandbox.people.facts import Story

_KEPT_AT = telling.at(2026, 10, 30, 20)


@dataclass(frozen=True)
class Populated:
    """One account that can sign in now, and how many resources it sees per version."""

    username: str
    password: str
    display_name: str
    resources: dict[str, int]


def practice() -> int:
    """Keep what belongs to the practice, in both versions; how many resources."""
    return store.keep(
        store.row(version, "", body, at=_KEPT_AT)
        for version in rendering.VERSIONS
        for body in rendering.practice_resources(version)
    )


def cast() -> Iterator[Populated]:
    """Keep the named people, replacing what they had."""
    for member in CAST:
        yield enrol(member)


def invented(seed: int, people: int, size: int) -> Iterator[Populated]:
    """Keep so many invented people of about `size` resources each, replacing those of the same seed and number.

    Raises ValueError for an impossible size.
    """
    for number in range(1, people + 1):
        story = inventing.story(seed, number, size)
        username = f"person-{seed}-{number}"
        yield enrol(Member(username, f"{username}-pass", (story,), f"Invented, about {size} resources"))


@transaction.atomic
def enrol(member: Member) -> Populated:
    """Keep the stories of one member and make the account."""
    counts = {version: sum(_keep(story, version) for story in member.stories) for version in rendering.VERSIONS}
    patients = {
        version: [Chart(version, story.person).patient_id for story in member.stories] for version in rendering.VERSIONS
    }
    enrolment.enrol(
        member.username,
        member.password,
        member.display_name,
        patients,
        practice="willow-creek-family-medicine",
        about=member.explains,
    )
    return Populated(member.username, member.password, member.display_name, counts)


def _keep(story: Story, version: str) -> int:
    patient_id = Chart(version, story.person).patient_id
    store.forget(version, patient_id)
    store.keep_files(_files(story, version, patient_id))
    if version == "dstu2":
        store.keep(store.row(version, "", body, at=_KEPT_AT) for body in rendering.formulary(story))
    return store.keep(_rows(story, version, patient_id))


def _rows(story: Story, version: str, patient_id: str) -> Iterator[Resource]:
    return (store.row(version, patient_id, body, at=_KEPT_AT) for body in rendering.resources(story, version))


def _files(story: Story, version: str, patient_id: str) -> Iterable[StoredFile]:
    return [
        StoredFile(
            version=version, patient_id=patient_id, name=one.name, content_type=one.content_type, content=one.content
        )
        for one in rendering.files(story, version)
    ]
