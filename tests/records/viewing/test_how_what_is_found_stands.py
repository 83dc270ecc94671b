"""A search result says the same about an entry as its list does, so that two of the same name can be told apart."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.records.shelving import indexing
from apps.records.viewing.wording import dates_in_words
from tests.records.pages import ask, page
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, order

pytestmark = pytest.mark.django_db

SUBJECT = {"reference": f"Patient/{PATIENT_ID}"}


def found(client: Client, words: str) -> list[str]:
    """The last line of each row found."""
    return told(ask(client, words))


def listed(client: Client, subject: str, **query: Any) -> list[str]:
    return told(page(client, "subject", subject, **query))


def told(text: str) -> list[str]:
    lines = re.findall(r'<span class="(?:row-detail )?parts">(.*?)</span>(?:</div></a>|</a>)', text, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]*>", "", line)).split()) for line in lines]


def condition(logical_id: str, status: str, **parts: Any) -> dict[str, Any]:
    return {
        "resourceType": "Condition",
        "id": logical_id,
        "clinicalStatus": {"coding": [{"code": status}]},
        "code": {"text": "Asthma"},
        "subject": SUBJECT,
        **parts,
    }


def fill(of: str, **parts: Any) -> dict[str, Any]:
    return {
        "resourceType": "MedicationDispense",
        "id": f"fill-of-{of}",
        "status": "completed",
        "subject": SUBJECT,
        "medicationCodeableConcept": {"text": "Lisinopril 10 MG Oral Tablet"},
        "authorizingPrescription": [{"reference": f"MedicationRequest/{of}"}],
        "whenHandedOver": "2024-01-05",
        **parts,
    }


class TestAnEntryThatIsFound:
    def test_is_a_prescription_or_what_was_filled_for_it(self, hers, connection):
        keep(connection, order("m1"), fill("m1"))
        assert sorted(found(hers, "lisinopril")) == [
            "Filled January 5, 2024 · Harbor Family Practice",
            "On the current list · Prescribed January 5, 2024 · Harbor Family Practice",
        ]

    def test_is_current_or_over(self, hers, connection):
        keep(
            connection,
            condition("c1", "active", onsetDateTime="2019-03-04"),
            condition("c2", "resolved", onsetDateTime="2019-03-04", abatementDateTime="2019-05-01"),
        )
        lines = found(hers, "asthma")
        assert sorted(line.split(" · ")[0] for line in lines) == ["Current", "Resolved"]
        assert sorted(lines) == sorted(listed(hers, "conditions"))

    def test_has_the_date_of_its_list_be_it_a_period_or_none(self, hers, connection):
        visit = {
            "resourceType": "Encounter",
            "status": "finished",
            "class": {"code": "IMP"},
            "type": [{"text": "Rehab"}],
            "subject": SUBJECT,
        }
        dated: tuple[dict[str, str], ...]
        dated = ({"start": "2022-06-07", "end": "2022-06-09"}, {"end": "2021-06"}, {"start": "2023"}, {})
        visits = ({**visit, "id": f"v{number}", "period": period} for number, period in enumerate(dated))
        keep(connection, *visits)
        lines = found(hers, "rehab")
        assert lines == listed(hers, "visits")
        assert len(lines) == len(dated)

    def test_has_ended_on_the_day_that_its_period_does(self, hers, connection):
        cover = {"resourceType": "Coverage", "status": "active", "beneficiary": SUBJECT, "type": {"text": "Plan Nine"}}
        keep(
            connection,
            {**cover, "id": "k1", "period": {"start": "2020-01-01", "end": "2020-12-31"}},
            {**cover, "id": "k2", "period": {"start": "2020-01-01", "end": "2999-12-31"}},
        )
        assert [line.split(" · ")[0] for line in found(hers, "nine")] == [
            line.split(" · ")[0] for line in listed(hers, "insurance")
        ]
        assert {line.split(" · ")[0] for line in found(hers, "nine")} == {"Current", "Ended"}

    def test_is_not_another_that_stands_otherwise(self, hers, connection, other):
        keep(connection, condition("c1", "active", onsetDateTime="2019-03-04"))
        keep(other, condition("c1", "inactive", onsetDateTime="2019-03-04"))
        lines = found(hers, "asthma")
        assert [line.split(" · ")[0] for line in lines] == ["Current", "Not active now"]
        assert page(hers, "subject", "conditions").count('class="row-link"') == 2

    def test_is_nobody_elses(self, client, sam, connection):
        keep(connection, order("m1"))
        client.force_login(sam)
        assert found(client, "lisinopril") == []


class TestAVaccineThatIsFound:
    @pytest.mark.parametrize(
        ("language", "words", "name"),
        [
            ("en", "shingles", "Shingles (zoster)"),
            ("es", "culebrilla", "Culebrilla (herpes zóster)"),
            ("en", "zoster", "Shingles"),
        ],
    )
    def test_is_called_by_what_it_is_against(self, hers, connection, language, words, name):
        vaccine = {"text": "zoster recombinant", "coding": [{"system": "http://hl7.org/fhir/sid/cvx", "code": "187"}]}
        sent = {"resourceType": "Immunization", "id": "i1", "status": "completed", "vaccineCode": vaccine}
        keep(connection, {**sent, "patient": SUBJECT, "occurrenceDateTime": "2020-02-04"})
        hers.post(reverse("set_language"), {"language": language})
        text = ask(hers, words)
        assert name in text
        assert "(zoster recombinant)" in text


class TestAPhraseOfAnEarlierRelease:
    def test_says_name_and_date(self):
        phrase = indexing.read_phrase(json.dumps(["Asthma", "", [[[0, "", "1", 7], "2019-03"]]]).encode())
        ((key, when),) = phrase.entries
        assert (phrase.title, key[3], phrase.standing.status) == ("Asthma", 7, "")
        assert dates_in_words.in_words(indexing.read_when(when)) == "March 2019"


class TestAnEntryWithoutAName:
    """What it is called by: its kind, or the code that it came with."""

    BY = {"display": "Dr. Ada Vale"}

    def names(self, text: str) -> list[str]:
        return [unescape(name).strip() for name in re.findall(r'class="row-title name">([^<]+)', text)]

    @pytest.mark.parametrize(
        ("subject", "resource"),
        [
            ("plans", {"resourceType": "CarePlan", "status": "active", "author": [BY]}),
            (
                "plans",
                {
                    "resourceType": "CarePlan",
                    "status": "active",
                    "author": [BY],
                    "category": [{"coding": [{"system": "http://snomed.info/sct", "code": "736353004"}]}],
                },
            ),
            ("conditions", {"resourceType": "Condition", "code": {"coding": [{"code": "X99"}]}, "recorder": BY}),
            (
                "procedures",
                {
                    "resourceType": "Procedure",
                    "status": "completed",
                    "code": {"coding": [{"code": "44950"}]},
                    "performer": [{"actor": BY}],
                },
            ),
            ("other", {"resourceType": "Communication", "status": "completed", "sender": BY}),
        ],
    )
    def test_is_called_as_its_list_calls_it(self, hers, sam, connection, subject, resource):
        keep(connection, {**resource, "id": "n1", "subject": SUBJECT})
        (listed_as,) = self.names(page(hers, "subject", subject))
        assert self.names(ask(hers, "vale")) == [listed_as]
        assert listed_as != "Unnamed entry"
        hers.force_login(sam)
        assert self.names(ask(hers, "vale")) == []
