"""The organizations of interface B as `populate` makes them: the same people with the same ids, described
differently."""

import json
import re
from io import StringIO

import pytest
from django.core.management import call_command

from apps.sandbox.models import Account, Resource, StoredFile, Tenant
from apps.sandbox.people import populating, tenants
from apps.sandbox.people.cast import CAST

WILLOW, RIVERSIDE = (one.tenant_id for one in tenants.ORGANIZATIONS)
SOME = tuple(member for member in CAST if member.username in ("hannah", "theo", "ines"))


def bodies(tenant, version, **narrowed):
    rows = Resource.objects.filter(tenant=tenant, version=version, **narrowed).order_by("pk")
    return [json.loads(bytes(row.body)) for row in rows]


@pytest.fixture
def organizations(db):
    """What both know of three members of the cast."""
    for member in SOME:
        populating.enrol(member)
    return populating.organizations(SOME)


class TestOrganizations:
    @pytest.mark.conformance("X31")
    def test_are_made_by_populate_and_can_be_made_again(self, db):
        for _ in range(2):
            call_command("populate", stdout=StringIO())
        assert dict(Tenant.objects.values_list("name", "is_suspended")) == {
            "Willow Creek Family Medicine": False,
            "Riverside University Hospital": False,
            "Old Harbor Infirmary": True,
        }
        assert sorted(len(tenant.pk) for tenant in Tenant.objects.filter(is_suspended=False)) == [32, 36]
        for version in ("dstu2", "r4"):
            people = {tenant: len(bodies(tenant, version, resource_type="Patient")) for tenant in (WILLOW, RIVERSIDE)}
            assert people == {WILLOW: 6, RIVERSIDE: 6}

    @pytest.mark.conformance("X31")
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    def test_know_the_same_ids_by_other_contents(self, organizations, version):
        by_id = [
            {(body["resourceType"], body["id"]): body for body in bodies(tenant, version)}
            for tenant in (WILLOW, RIVERSIDE)
        ]
        willow, riverside = by_id
        alone = riverside.keys() - willow.keys()
        assert len(alone) < len(riverside) < len(willow)
        patients = {key for key in willow if key[0] == "Patient"}
        assert len(patients) == 4
        assert patients <= riverside.keys()
        for key in patients:
            assert willow[key]["managingOrganization"]["display"] == "Willow Creek Family Medicine"
            assert riverside[key]["managingOrganization"]["display"] == "Riverside University Hospital"
        assert not [body for body in riverside.values() if "Willow Creek" in json.dumps(body)]
        assert not [body for body in riverside.values() if "Marta Finch" in json.dumps(body)]

    @pytest.mark.parametrize("tenant", [WILLOW, RIVERSIDE])
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    def test_refer_to_nothing_they_do_not_have(self, organizations, tenant, version):
        known = {f"{body['resourceType']}/{body['id']}" for body in bodies(tenant, version)}
        named = set()
        for body in bodies(tenant, version):
            named |= set(re.findall(r'"reference": "([A-Za-z]+/[^"]+)"', json.dumps(body)))
        assert len(named) > 20
        assert sorted(named - known) == []

    def test_keep_files_of_their_own(self, organizations):
        names = [
            set(StoredFile.objects.filter(tenant=tenant, version="r4").values_list("name", flat=True))
            for tenant in ("", WILLOW, RIVERSIDE)
        ]
        assert names[0] == names[1]
        assert names[2] < names[1]

    def test_forget_what_they_kept_before(self, organizations):
        ruled_out = Resource.objects.filter(tenant=RIVERSIDE, version="r4").exclude(patient_id="").earliest("pk")
        ruled_out.pk, ruled_out.logical_id = None, "ruled-out"
        ruled_out.save()
        populating.organizations(SOME)
        assert not Resource.objects.filter(logical_id="ruled-out").exists()

    def test_leave_interface_a_as_it_is(self, organizations):
        whole = {body["id"]: body for body in bodies("", "r4")}
        populating.organizations(SOME)
        assert {body["id"]: body for body in bodies("", "r4")} == whole
        assert not [body for body in whole.values() if "Riverside" in json.dumps(body)]


class TestAccountOfTheCast:
    @pytest.mark.conformance("X75")
    def test_sees_the_same_people_in_every_tenant(self, organizations):
        account = Account.objects.get(username="hannah")
        for version in ("dstu2", "r4"):
            assert len(account.patient_ids(version)) == 2
            for tenant in (WILLOW, RIVERSIDE):
                assert account.patient_ids(version, tenant) == account.patient_ids(version)

    def test_survives_being_enrolled_again(self, organizations):
        populating.enrol(SOME[0])
        account = Account.objects.get(username=SOME[0].username)
        assert account.patient_ids("r4", WILLOW) == account.patient_ids("r4")


class TestClinician:
    def test_sees_everybody_in_tenants_and_nobody_elsewhere(self, organizations):
        account = Account.objects.get(username="haddad")
        assert account.has_password("haddad-pass-1")
        assert account.patients == {}
        for version in ("dstu2", "r4"):
            assert len(account.patient_ids(version, RIVERSIDE)) == 4
            assert account.patient_ids(version) == ()

    @pytest.mark.parametrize("tenant", [WILLOW, RIVERSIDE])
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    def test_is_a_practitioner_of_one_id_everywhere(self, organizations, tenant, version):
        account = Account.objects.get(username="haddad")
        (body,) = bodies(tenant, version, resource_type="Practitioner", logical_id=account.practitioner_id)
        assert "Haddad" in json.dumps(body["name"])
