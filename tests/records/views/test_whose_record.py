"""With records of several people, every link leads to the right person's record, and pages say whose it is."""

import html
import re
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.urls import reverse

from apps.connections.models import Connection
from apps.records.models import Record, SyncRun, SyncStep
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.pages import main, main_of, page, that_lasts
from tests.records.people import PATIENT_ID, allergy
from tests.records.several_people import CHILDS, HERS, is_of, medicine
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db


@pytest.fixture
def childs(other):
    is_of(other, CHILDS, "2019-03-09")
    return other


class TestThePersonWhoseRecordIsRead:
    """Once chosen, that one stays chosen on the way through the record."""

    @pytest.fixture
    def two(self, connection, childs):
        for one in (connection, childs):
            keep(one, result(0), result(1), allergy("a1"), medicine())
        return connection

    def links(self, client, name, *args, **query):
        """The addresses of pages of the record that a page leads to, but for those that choose whose it is."""
        text = page(client, name, *args, **query)
        chosen = re.sub(
            r'<nav class="filters.*?</nav>|<a class="brand".*?</a>|<nav aria-label="Menu">.*?</nav>', "", text
        )
        if not isinstance(query.get("of"), UUID):  # what matters of each leads to that one's record
            chosen = re.sub(r"<h2>What matters now</h2>.*?<h2>", "", chosen, flags=re.DOTALL)
        return [html.unescape(one) for one in re.findall(r'href="((?:/record/|/download/|/"|/\?|\?)[^"]*)', chosen)]

    def there(self, of):
        """The pages on the way, each with what its address asks for."""
        record = Record.objects.get(connection=of, logical_id="o0").pk
        for name in ("home", "whole_record", "everything_by_date", "what_is_new"):
            yield name, ()
        for key in ("results", "medicines", "allergies", "devices"):
            yield "subject", (key,)
        for name in ("entry", "entry_as_sent", "over_time"):
            yield name, ("results", record)

    def test_stays_chosen_by_whatever_link(self, hers, sam, two, childs):
        for name, args in self.there(childs):
            found = self.links(hers, name, *args, of=childs.pk)
            assert found, name
            assert [one for one in found if f"of={childs.pk}" not in one] == [], name
            assert [one for one in self.links(hers, name, *args) if "of=" in one] == [], name
        hers.force_login(sam)
        assert str(childs.pk) not in main(hers, "subject", "results", of=childs.pk)

    def test_is_each_in_turn_of_whom_something_matters(self, hers, sam, two, childs):
        keep(childs, allergy("a2", code={"text": "Peanuts"}))
        told = main(hers, "whole_record").split("<h2>What matters now</h2>")[1].split("<h2>")[0]
        people = re.split(r"<h3[^>]*>", told)[1:]
        assert [one.split("</h3>")[0] for one in people] == [HERS, CHILDS]
        for one, of, of_another in zip(people, (two, childs), (childs, two), strict=True):
            assert f'{reverse("subject", args=["allergies"])}?of={of.pk}"' in one
            assert "Lisinopril" in one
            assert str(of_another.pk) not in one
        assert ["Peanuts" in one for one in people] == [False, True]
        assert "<h3" not in main(hers, "whole_record", of=two.pk)
        hers.force_login(sam)
        assert "Quillfeather" not in main(hers, "whole_record")

    def test_is_that_of_a_connection_whose_page_leads_to_the_record(self, hers, connection, childs):
        for one in (connection, childs):
            keep(one, result(0))
            Connection.objects.filter(pk=one.pk).update(last_checked_at=AT)
            run = SyncRun.objects.create(
                user=one.user, connection=one, cause="confirmed", created_at=AT, finished_at=AT, outcome="complete"
            )
            SyncStep.objects.create(
                run=run, user=one.user, resource_type="Observation", status="complete", finished_at=AT
            )
        assert f'href="{reverse("whole_record")}?of={childs.pk}"' in main(hers, "record", childs.pk)

    def test_stays_chosen_on_the_card(self, hers, two, childs):
        found = self.links(hers, "card_to_carry", of=childs.pk)
        assert f"{reverse('whole_record')}?of={childs.pk}" in found
        assert f"{reverse('download_copy')}?of={childs.pk}" in found

    def test_stays_chosen_from_page_to_page_of_a_long_list(self, hers, connection, childs):
        keep(connection, result(0))
        keep(childs, *(result(number) for number in range(120)))
        for name, args in (("subject", ["results"]), ("everything_by_date", [])):
            text = main(hers, name, *args, of=childs.pk, by="date")
            assert re.search(rf'href="\?of={childs.pk}&amp;[^"]*page=2"', text), name

    def test_stays_chosen_where_a_page_asks_first(self, hers, sam, connection, childs):
        grave = {"text": "Surgical pathology", "coding": [{"system": "http://loinc.org", "code": "11529-5"}]}
        sent = {
            "resourceType": "DiagnosticReport",
            "id": "d1",
            "status": "final",
            "code": grave,
            "conclusion": "Clear.",
        }
        keep(connection, result(0))
        keep(childs, {**sent, "subject": {"reference": f"Patient/{PATIENT_ID}"}})
        args = ["results", Record.objects.get(logical_id="d1").pk]
        asked = hers.get(reverse("entry_as_sent", args=args), {"of": childs.pk})
        assert asked["Location"] == f"{reverse('entry', args=args)}?of={childs.pk}"
        assert f'href="{reverse("subject", args=["results"])}?of={childs.pk}">Not now</a>' in page(
            hers, "entry", *args, of=childs.pk
        )
        assert hers.post(asked["Location"])["Location"] == asked["Location"]
        hers.force_login(sam)
        assert hers.get(asked["Location"]).status_code == 404

    @pytest.mark.parametrize("of", ["x", '"><b>', "0" * 99])
    def test_is_nobody_where_nobody_is_meant(self, hers, two, of):
        for name, args in self.there(two):
            assert [one for one in self.links(hers, name, *args, of=of) if "of=" in one] == [], name


class TestASearchOfOnePersonsRecord:
    ONLY = f"Only the record of {CHILDS} was searched."

    @pytest.fixture
    def two(self, connection, childs):
        keep(connection, result(0), result(1, name="Potassium", code="2823-3"), medicine())
        keep(childs, result(0), result(366))
        return connection

    def look(self, client, words, **query):
        """The page that a search leads to, from the box as the page of a record has it."""
        (form,) = re.findall(
            r'<form class="search[^>]* method="post" action="([^"]*)"', page(client, "whole_record", **query)
        )
        return client.post(html.unescape(form), {"words": words})["Location"]

    def test_finds_nothing_of_another_and_says_so(self, hers, sam, two, childs):
        address = self.look(hers, "sodium", of=childs.pk)
        assert address == f"{reverse('search_record')}?of={childs.pk}&number=1"
        found = main_of(hers.get(address))
        assert "2 entries found" in found
        assert self.ONLY in found
        assert f"Search the record of {CHILDS}" in found
        assert HERS not in found
        assert "Nothing found for “potassium” in 2 entries." in main_of(
            hers.get(self.look(hers, "potassium", of=childs.pk))
        )
        rows = re.findall(r'class="row-link" href="([^"]*)"', found)
        assert len(rows) == 2
        assert all(one.endswith(f"?of={childs.pk}") for one in rows)
        assert "3 entries found" in main_of(hers.get(self.look(hers, "sodium")))
        hers.force_login(sam)
        assert "entries found" not in main_of(hers.get(address))

    def test_leads_to_the_same_words_in_all_records_and_back(self, hers, two, childs):
        found = main_of(hers.get(self.look(hers, "sodium", of=childs.pk)))
        (all_of_them,) = re.findall(r'<a href="([^"]*)">Search all records</a>', found)
        assert all_of_them == f"{reverse('search_record')}?number=1"
        assert f'<a class="chip on" href="{all_of_them}">{CHILDS} <span' in found
        everybodys = main_of(hers.get(all_of_them))
        assert "3 entries found" in everybodys
        assert "was searched." not in everybodys
        (one,) = re.findall(rf'<a class="chip" href="([^"]*)">{CHILDS}</a>', everybodys)
        back = main_of(hers.get(reverse("search_record") + html.unescape(one)))
        assert that_lasts(back) == that_lasts(found)

    @pytest.mark.parametrize("words", ["perrin sodium", "sodium riverside"])
    def test_knows_whose_it_is_and_the_provider(self, hers, two, childs, words):
        assert "2 entries found" in main_of(hers.get(self.look(hers, words, of=childs.pk)))

    def test_leads_to_lists_of_that_person(self, hers, two, childs):
        found = main_of(hers.get(self.look(hers, "2023", of=childs.pk)))
        assert f'href="{reverse("everything_by_date")}?of={childs.pk}&amp;year=2023"' in found
        found = main_of(hers.get(self.look(hers, "riverside", of=childs.pk)))
        assert f'href="{reverse("everything_by_date")}?of={childs.pk}&amp;from={childs.pk}"' in found
        found = main_of(hers.get(self.look(hers, "allergies", of=childs.pk)))
        assert f'href="{reverse("subject", args=["allergies"])}?of={childs.pk}"' in found

    def test_means_nothing_by_the_words_of_another(self, hers, two, childs):
        assert ">potassium</button>" in main_of(hers.get(self.look(hers, "potasium")))
        assert ">potassium</button>" not in main_of(hers.get(self.look(hers, "potasium", of=childs.pk)))
        found = main_of(hers.get(self.look(hers, "sodiun", of=childs.pk)))
        (form,) = re.findall(r'action="([^"]*)"> <input[^>]*> <p>Did you mean:', found)
        assert "2 entries found" in main_of(hers.post(html.unescape(form), {"words": "sodium"}, follow=True))

    @pytest.mark.parametrize("of", ["x", '"><b>', "0" * 99, "00000000-0000-4000-8000-000000000000"])
    def test_is_one_of_all_records_where_nobody_is_meant(self, hers, two, of):
        address = hers.post(f"{reverse('search_record')}?{urlencode({'of': of})}", {"words": "sodium"})["Location"]
        found = main_of(hers.get(address))
        assert "3 entries found" in found
        assert "was searched." not in found
        assert urlencode({"of": of}) not in found

    def test_is_no_matter_of_a_stranger(self, hers, sam, two):
        theirs = make_connection(sam, make_endpoint("https://third.example/r4"))
        is_of(theirs, "Sam Fletcher", "1990-01-01")
        keep(theirs, result(0))
        address = hers.post(f"{reverse('search_record')}?of={theirs.pk}", {"words": "sodium"})["Location"]
        found = main_of(hers.get(address))
        assert "3 entries found" in found
        assert "Fletcher" not in found

    def test_takes_no_more_queries_than_one_of_all(self, hers, two, childs, django_assert_max_num_queries):
        address = self.look(hers, "sodium", of=childs.pk)
        with django_assert_max_num_queries(10):
            hers.get(address)
