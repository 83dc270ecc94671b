"""More than thirty searches as people type them, over thousands of providers: the one they mean is among the first
three."""

# ruff: noqa: RUF001 - names are spelled as their owners do

import gzip
import json
import string
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from apps.directory.models import Provider
from apps.directory.searching import finding, meanings
from config import env
from tests.directory.searching import invented_places
from tests.directory.smart_deployment import AT

pytestmark = pytest.mark.django_db

# Over what vendors publish: misspelled, unfinished, in another order.
QUERIES_OF_VENDORS = (
    ("billings clinic", "Billings Clinic"),
    ("bilings clinc", "Billings Clinic"),
    ("mayo clinic", "Mayo Clinic"),
    ("mayo cl", "Mayo Clinic"),
    ("portland clinic", "The Portland Clinic"),
    ("kaiser georgia", "Kaiser Permanente – Georgia"),
    ("kaiser permanante hawaii", "Kaiser Permanente Hawaii / Maui Health System"),
    ("lurie childrens", "Ann & Robert H. Lurie Children's Hospital of Chicago"),
    ("cedars sinai", "Cedars-Sinai Health System"),
    ("ceders-sinai", "Cedars-Sinai Health System"),
    ("health partners", "HealthPartners"),
    ("healthpartners", "HealthPartners"),
    ("ucsf", "UCSF Health"),
    ("univ of utah", "University of Utah Healthcare"),
    ("university iowa", "University of Iowa Health Care"),
    ("john hopkins medicine", "Johns Hopkins Medicine"),
    ("st lukes idaho", "St. Luke’s Health System (Idaho & Eastern Oregon)"),
    ("saint lukes health system", "St. Luke’s Health System (Idaho & Eastern Oregon)"),
    ("kings daughters medical", "King's Daughters Medical Center"),
    ("mt sinai medical center", "Mount Sinai Medical Center"),
    ("m d anderson", "The University of Texas MD Anderson Cancer Center"),
    ("md andersen cancer", "The University of Texas MD Anderson Cancer Center"),
    ("covenant knoxville", "Covenant Health"),
    ("emory atlanta", "Emory Healthcare Inc"),
    ("dubuque orthopedic", "Dubuque Orthopaedic Surgeons, PC"),
    ("nicklaus childrens hosp", "Variety Children’s Hospital d/b/a Nicklaus Children’s Hospital"),
    ("lakewood foot ankle nj", "Lakewood Foot and Ankle Specialists LLC"),
    ("fairbanks alaska", "Fairbanks Memorial Hospital"),
    ("adair county memorial", "Adair County Memorial Hospital"),
    ("dr welborn", "William R. Welborn, III MD"),
    ("too tall docs", "Too Tall Doc's, P.A."),
    ("nyc health hospitals", "NYC Health + Hospitals"),
    ("geisenger", "Geisinger"),
    ("mason general hosptial", "Mason General Hospital"),
)


def first_three(query: str) -> list[str]:
    return [found.provider.name for found in finding.find(query, at=AT).found[:3]]


def misses(queries: tuple[tuple[str, str], ...]) -> dict[str, list[str]]:
    return {query: first for query, wanted in queries if wanted not in (first := first_three(query))}


def of_vendors() -> list[dict[str, Any]]:
    """Names and places of two lists among the example data."""
    examples = env.fhir_examples()
    if examples is None:
        pytest.skip("FHIR_EXAMPLES names no folder of example data")
    rows = []
    for file in ("cerner-millennium-patient-dstu2-bundle", "epic-r4-endpoint-bundle-2021"):
        bundle = json.loads(gzip.decompress((examples / f"endpoints/{file}.json.gz").read_bytes()))
        for entry in bundle["entry"]:
            organization = entry["resource"]["contained"][0]
            address = (organization.get("address") or [{}])[0]
            rows.append(
                {
                    "name": organization["name"],
                    "city": address.get("city", ""),
                    "state": address.get("state", ""),
                    "postal_code": address.get("postalCode", ""),
                }
            )
    return rows


class TestWhatPeopleType:
    def test_is_found_among_thousands(self):
        invented_places.fill()
        assert len(invented_places.QUERIES) >= 30
        assert misses(invented_places.QUERIES) == {}

    def test_is_found_in_lists_of_vendors(self):
        invented_places.store(of_vendors(), directory="vendors")
        assert len(QUERIES_OF_VENDORS) >= 30
        assert misses(QUERIES_OF_VENDORS) == {}


# What databases and addresses give a meaning to, beside letters of several alphabets.
TYPED = st.text(
    st.sampled_from(string.printable + "éñøı…’–&%_\\'\"{}[]<>:/.@éßﬃ中文ا\u202e\u0301\U0001f48a"), max_size=260
)


class TestAnyText:
    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(TYPED)
    @example("%")
    @example("_arbor")
    @example("harbor%")
    @example("http://[::1")
    @example("//" + "a" * 250)
    @example("http://x.y:99999999/")
    @example("{a,b}")
    def test_is_answered(self, make_provider, text):
        make_provider("Harbor Family Practice", city="Portland", state="OR")
        results = finding.find(text, at=AT)
        assert len(results.found) <= 1
        Provider.objects.all().delete()

    @pytest.mark.parametrize("wildcard", ["%", "_", "%%", "h%r", "h_rbor", "\\", "*", "?", ".*"])
    def test_knows_no_wildcards(self, make_provider, wildcard):
        make_provider("Xyzzy Clinic")
        assert finding.find(wildcard, at=AT).found == ()

    @given(TYPED)
    def test_becomes_few_words_of_letters_and_digits(self, text):
        query = meanings.read(text)
        assert len(query.words) <= 8
        assert all(word.isalnum() and len(word) <= 60 for word in query.words)


class TestItsCost:
    def test_is_as_many_queries_for_thousands_as_for_one(self, make_provider):
        make_provider("Harbor Family Practice", city="Portland", state="OR")
        with CaptureQueriesContext(connection) as few:
            finding.find("harbor portland", at=AT)
        invented_places.store(invented_places.crowd())
        with CaptureQueriesContext(connection) as many:
            finding.find("harbor portland", at=AT)
        assert len(many) <= len(few)
