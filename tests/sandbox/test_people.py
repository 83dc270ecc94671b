"""The invented people: the same for the same seed, as large as requested, and nobody real."""

import json
from io import StringIO
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import CommandError, call_command

from apps.sandbox.fhir import store
from apps.sandbox.fhir.realm import Realm
from apps.sandbox.models import Account, Resource
from apps.sandbox.people import inventing, rendering, stories
from apps.sandbox.people.cast import CAST


def bodies(story, version="r4"):
    return [
        bytes(store.row(Realm(version), "", body, at=stories.at(2026, 10, 30)).body)
        for body in rendering.resources(story, version)
    ]


class TestInventedPerson:
    @pytest.mark.conformance("X71")
    def test_is_the_same_for_the_same_seed(self):
        assert bodies(inventing.story(7, 1, 200)) == bodies(inventing.story(7, 1, 200))

    def test_is_another_for_another_seed_or_number(self):
        first = bodies(inventing.story(7, 1, 200))
        assert bodies(inventing.story(8, 1, 200)) != first
        assert bodies(inventing.story(7, 2, 200)) != first

    @pytest.mark.parametrize("size", [50, 200, 1000, 5000])
    def test_has_about_as_many_resources_as_asked(self, size):
        assert 0.9 * size <= len(bodies(inventing.story(7, 1, size))) <= 1.1 * size

    @pytest.mark.parametrize("size", [0, 49, 50_001])
    def test_has_no_impossible_size(self, size):
        with pytest.raises(ValueError, match="between 50 and 50000"):
            inventing.story(7, 1, size)


class TestCast:
    def test_tells_of_diabetes_that_got_worse_and_better(self):
        values = [
            (body["effectiveDateTime"][:4], float(body["valueQuantity"]["value"]))
            for body in rendering.resources(CAST[0].stories[0], "r4")
            if body["resourceType"] == "Observation" and body["code"]["coding"][0]["code"] == "4548-4"
        ]
        years = dict(values)  # newest first, so the first of each year stays
        assert years["2014"] > 8 > years["2016"]
        assert years["2023"] > 8.5
        assert years["2026"] < 7

    def test_tells_of_a_child_that_grows(self):
        heights = [
            float(body["valueQuantity"]["value"])
            for body in rendering.resources(CAST[2].stories[1], "dstu2")
            if body["resourceType"] == "Observation" and body["code"]["coding"][0]["code"] == "8302-2"
        ]
        assert heights == sorted(heights, reverse=True)
        assert heights[-1] == 50.5
        assert heights[0] > 115

    @pytest.mark.conformance("X72")
    def test_is_invented_in_everything_that_could_reach_somebody(self):
        for member in CAST:
            for story in member.stories:
                assert story.person.mail.endswith("@example.org")
                assert story.person.telephone.startswith("555-01")
        for body in rendering.practice_resources("r4"):
            for point in body.get("telecom", []):
                assert point["value"].startswith("555-01")


class TestPopulate:
    @pytest.mark.conformance("X75")
    def test_makes_accounts_that_work_for_both_versions_one_with_little_and_one_with_much(
        self, db, client, token_of, get
    ):
        call_command("populate", stdout=StringIO())
        for username, least, most in (("ines", 4, 10), ("ruth", 1000, 5000)):
            for version in ("dstu2", "r4"):
                token = token_of(username, version)
                base = f"/a/{version}/fhir/{version}"
                patient = get(f"{base}/Patient", token).json()["id"]
                total = 0
                for search in ("Observation", "Encounter", "Immunization"):
                    category = "&category=laboratory,vital-signs,social-history,exam" if search == "Observation" else ""
                    total += get(f"{base}/{search}?patient={patient}{category}&_count=0", token).json()["total"]
                assert least <= total <= most
        account = Account.objects.get(username="ines")
        assert account.has_password("ines-pass-1")

    def test_says_who_can_sign_in(self, db):
        told = StringIO()
        call_command("populate", people=2, size=60, seed=5, stdout=told)
        lines = told.getvalue().splitlines()
        assert [line.split()[0] for line in lines] == [
            "ruth", "george", "hannah", "theo", "ines", "haddad", "person-5-1", "person-5-2",
        ]  # fmt: skip
        assert Account.objects.get(username="person-5-1").has_password("person-5-1-pass")

    def test_lets_a_parent_see_the_child(self, db):
        call_command("populate", stdout=StringIO())
        for version in ("dstu2", "r4"):
            mother, child = Account.objects.get(username="hannah").patient_ids(version)
            rows = Resource.objects.filter(version=version, resource_type="Patient", logical_id__in=(mother, child))
            births = {json.loads(bytes(row.body))["birthDate"] for row in rows}
            assert births == {"1990-08-02", "2020-05-14"}

    def test_refuses_an_impossible_size(self, db):
        with pytest.raises(CommandError, match="between 50 and 50000"):
            call_command("populate", people=1, size=7, without_cast=True, stdout=StringIO())


class TestSignInOfTheCast:
    @pytest.mark.conformance("X75")
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    @pytest.mark.parametrize(("username", "family"), [("ines", "Quill"), ("ruth", "Alder")])
    def test_opens_their_record_and_leaves_out_what_they_did(
        self, person, client, application, ask_token, get, version, username, family
    ):
        person(username)
        address = (
            f"/a/{version}/auth/authorize?response_type=code&client_id=app"
            "&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q"
        )
        client.post(address, {"step": "sign-in", "username": username, "password": f"{username}-pass-1"})
        back = client.post(address, {"step": "allow", "type": ["Observation"]})
        code = parse_qs(urlsplit(back["Location"]).query)["code"][0]
        token = ask_token(
            version, grant_type="authorization_code", redirect_uri="https://app.example/back/7Q", code=code
        ).json()["access_token"]
        base = f"/a/{version}/fhir/{version}"
        patient = get(f"{base}/Patient", token).json()
        assert family in json.dumps(patient["name"])
        search = f"?patient={patient['id']}"
        assert get(f"{base}/Observation{search}&category=vital-signs", token).json()["total"] > 0
        assert get(f"{base}/Immunization{search}", token).status_code == 403
