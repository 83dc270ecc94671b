"""Whose record is read, of several: whatever link somebody follows, and what is told of each."""

import html
import re
from uuid import UUID

import pytest
from django.urls import reverse

from apps.connections.models import Connection
from apps.records.models import Record, SyncRun, SyncStep
from tests.records.linked import AT
from tests.records.pages import main, page
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
        chosen = re.sub(r'<nav class="filters.*?</nav>|<header class="site-header">.*?</header>', "", text)
        if not isinstance(query.get("of"), UUID):  # what matters of each leads to that one's record
            chosen = re.sub(r"<h2>What matters now</h2>.*?<h2>", "", chosen, flags=re.DOTALL)
        search = reverse("search_record")  # which knows every name there is
        found = (html.unescape(one) for one in re.findall(r'href="((?:/record/|/download/|/"|/\?|\?)[^"]*)', chosen))
        return [one for one in found if not one.startswith(search)]

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
            assert [one for one in found if f"of={childs.pk}" not in one and f"from={childs.pk}" not in one] == [], name
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
        found = self.links(hers, "card_to_carry", **{"from": childs.pk})
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
