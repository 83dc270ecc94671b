"""Put people into the sandbox: their records in both versions, and the credentials that open them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db import transaction

from apps.sandbox import enrolment
from apps.sandbox.fhir import store
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.models import Account, Resource, StoredFile, Tenant
from apps.sandbox.people import inventing, rendering, stories, tenants
from apps.sandbox.people.cast import CAST, Member
from apps.sandbox.people.chart import Chart
from apps.sandbox.people.clinic import WILLOW_CREEK, Clinic
from apps.sandbox.people.facts import Story
from apps.sandbox.people.tenants import Organization

_KEPT_AT = stories.at(2026, 10, 30, 20)
_CLINICIAN_USERNAME = "haddad"


@dataclass(frozen=True)
class Populated:
    """One account that can sign in now, and how many resources it sees per version."""

    username: str
    password: str
    display_name: str
    resources: dict[str, int]


def practice() -> int:
    """Store what belongs to the practice, in both versions; returns how many resources."""
    return sum(_keep_practice(Realm(version), WILLOW_CREEK) for version in rendering.VERSIONS)


def cast() -> Iterator[Populated]:
    """Store the named people, replacing what they had."""
    for member in CAST:
        yield enrol(member)


def invented(seed: int, people: int, size: int) -> Iterator[Populated]:
    """Store that many invented people with about `size` resources each, replacing those with the same seed and number.

    Raises ValueError for an impossible size.
    """
    for number in range(1, people + 1):
        story = inventing.story(seed, number, size)
        username = f"person-{seed}-{number}"
        yield enrol(Member(username, f"{username}-pass", (story,), f"Invented, about {size} resources"))


@transaction.atomic
def enrol(member: Member) -> Populated:
    """Store the stories of one member, and create the account."""
    realms = [Realm(version) for version in rendering.VERSIONS]
    counts = {realm.version: sum(_keep(story, realm) for story in member.stories) for realm in realms}
    enrolment.enrol(
        member.username,
        member.password,
        member.display_name,
        _patients(member),
        practice="willow-creek-family-medicine",
        about=member.explains,
    )
    return Populated(member.username, member.password, member.display_name, counts)


@transaction.atomic
def organizations(members: Iterable[Member] = CAST) -> Populated:
    """Store the tenants of interface B with what each knows about `members`, who have accounts; and create the
    clinician's.

    The members' accounts open the same patients in every tenant; the clinician's opens all of them.
    """
    suspended_id, suspended_name = tenants.SUSPENDED
    Tenant.objects.update_or_create(id=suspended_id, defaults={"name": suspended_name, "is_suspended": True})
    members = tuple(members)
    counts = dict.fromkeys(rendering.VERSIONS, 0)
    for one in tenants.ORGANIZATIONS:
        Tenant.objects.update_or_create(
            id=one.tenant_id, defaults={"name": one.name, "practice": one.practice, "is_suspended": False}
        )
        for version in rendering.VERSIONS:
            counts[version] += _keep_organization(one, Realm(version, one.tenant_id), members)
    for member in members:
        _open(member.username, _patients(member))
    return _enrol_clinician(members, counts)


def _keep_organization(one: Organization, realm: Realm, members: Iterable[Member]) -> int:
    _keep_practice(realm, one.clinic)
    clinician = rendering.practitioner(realm.version, tenants.CLINICIAN, tenants.CLINICIAN_ID, one.clinic)
    store.keep([store.row(realm, "", clinician, at=_KEPT_AT)])
    return sum(_keep(one.retold(story), realm, one.clinic) for member in members for story in member.stories)


def _enrol_clinician(members: Iterable[Member], counts: dict[str, int]) -> Populated:
    everybody: dict[str, list[str]] = {version: [] for version in rendering.VERSIONS}
    for member in members:
        for version, patient_ids in _patients(member).items():
            everybody[version] += patient_ids
    person, password = tenants.CLINICIAN, f"{_CLINICIAN_USERNAME}-pass-1"
    account = Account.objects.filter(username=_CLINICIAN_USERNAME).first() or Account(username=_CLINICIAN_USERNAME)
    account.display_name = person.name
    account.about = "A clinician: signs in below ehr alone, and sees everybody"
    account.practitioner_id = tenants.CLINICIAN_ID
    account.is_enrolled = True
    account.shown_password = password
    account.set_password(password)
    account.save()
    _open(_CLINICIAN_USERNAME, everybody)
    return Populated(_CLINICIAN_USERNAME, password, person.name, counts)


def _open(username: str, patients: dict[str, list[str]]) -> None:
    """Let the account see these patients in every tenant."""
    opened = {one.tenant_id: patients for one in tenants.ORGANIZATIONS}
    Account.objects.filter(username=username).update(tenant_patients=opened)


def _patients(member: Member) -> dict[str, list[str]]:
    """The patients a member sees, per version: the same ids in every realm of the version."""
    return {
        version: [Chart(version, story.person).patient_id for story in member.stories] for version in rendering.VERSIONS
    }


def _keep_practice(realm: Realm, clinic: Clinic) -> int:
    resources = rendering.practice_resources(realm.version, clinic)
    return store.keep(store.row(realm, "", body, at=_KEPT_AT) for body in resources)


def _keep(story: Story, realm: Realm, clinic: Clinic = WILLOW_CREEK) -> int:
    patient_id = Chart(realm.version, story.person).patient_id
    store.forget(realm, patient_id)
    store.keep_files(_files(story, realm, patient_id))
    if realm.version == "dstu2":
        store.keep(store.row(realm, "", body, at=_KEPT_AT) for body in rendering.formulary(story))
    return store.keep(_rows(story, realm, patient_id, clinic))


def _rows(story: Story, realm: Realm, patient_id: str, clinic: Clinic) -> Iterator[Resource]:
    bodies = rendering.resources(story, realm.version, clinic)
    return (store.row(realm, patient_id, body, at=_KEPT_AT) for body in bodies)


def _files(story: Story, realm: Realm, patient_id: str) -> Iterable[StoredFile]:
    return [
        StoredFile(
            **realm._asdict(),
            patient_id=patient_id,
            name=one.name,
            content_type=one.content_type,
            content=one.content,
        )
        for one in rendering.files(story, realm.version)
    ]
