"""Pages, shelves and the patient summary agree on which results belong to one test."""

import json
import re

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.records import shelving
from apps.records.exporting import choosing
from apps.records.exporting.ips import documents
from apps.records.models import Record
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import PATIENT_ID
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

LOCAL = {"system": "urn:lab", "code": "NA", "display": "Sodium"}


def coded(number, value, *codings):
    return {**result(number, value=value), "code": {"text": "Sodium", "coding": list(codings)}}


def listed(alice):
    document = json.loads(documents.document(choosing.choices(alice, at=AT), at=AT))
    resources = [each["resource"] for each in document["entry"]]
    return [each["valueQuantity"]["value"] for each in resources if each["resourceType"] == "Observation"]


class TestOneTest:
    def test_is_one_in_the_summary_whichever_of_its_codes_comes_first(self, alice, connection):
        loinc = result(0)["code"]["coding"][0]
        keep(connection, coded(1, 5.5, LOCAL, loinc), coded(2, 9.9, loinc))
        assert listed(alice) == [5.5]

    def test_of_a_long_name_has_all_its_values_over_time(self, hers, connection):
        name = "Susceptibility of an isolate " * 8
        keep(connection, *({**result(number, value=number), "code": {"text": name}} for number in (3, 4, 5)))
        pk = Record.objects.get(logical_id="o3").pk
        text = hers.get(reverse("over_time", args=["results", pk])).content.decode()
        for value in (3, 4, 5):
            assert re.search(rf">\s*{value} mmol/L", text)

    def test_takes_at_most_twelve_queries_over_time(self, hers, connection, django_assert_max_num_queries):
        by_somebody = {"performer": [{"reference": "Practitioner/pr1"}]}
        keep(connection, *({**result(number, value=number), **by_somebody} for number in (3, 4, 5)))
        address = reverse("over_time", args=["results", Record.objects.get(logical_id="o3").pk])
        hers.get(address)  # that she looked is written down now
        with django_assert_max_num_queries(12) as counted:
            assert hers.get(address).status_code == 200
        read = [query["sql"] for query in counted.captured_queries]
        assert not [sql for sql in read if "logical_id" in sql and "IN (" in sql and "records_record" in sql]

    @pytest.mark.parametrize(("language", "date"), [("en", "September 30, 2026"), ("es", "30 de septiembre de 2026")])
    def test_has_dates_in_its_table_that_no_line_ends_within(self, hers, connection, language, date):
        keep(connection, *({**result(number), "effectiveDateTime": f"2026-09-{30 - number}"} for number in range(2)))
        hers.cookies["django_language"] = language
        record = Record.objects.get(logical_id="o0")
        text = hers.get(reverse("over_time", args=["results", record.pk])).content.decode()
        assert re.search(rf'<th scope="row"[^>]*><span class="whole">{date}</span></th>', text)

    def test_has_clock_times_in_its_table_where_a_day_has_several_values(self, hers, connection):
        sent = ("2026-09-29T08:05:00-05:00", "2026-09-30T08:05:00-05:00", "2026-09-30T17:20:00-05:00")
        keep(connection, *({**result(number), "effectiveDateTime": date} for number, date in enumerate(sent)))
        record = Record.objects.get(logical_id="o0")
        text = hers.get(reverse("over_time", args=["results", record.pk])).content.decode()
        dates = [re.sub("<[^>]+>", "", found) for found in re.findall(r'<th scope="row"[^>]*>(.*?)</th>', text)]
        assert dates == ["September 30, 2026, 5:20 p.m.", "September 30, 2026, 8:05 a.m.", "September 29, 2026"]

    @pytest.mark.parametrize(("values", "is_line"), [(1, True), (2, True), (3, False)])
    def test_of_few_values_has_the_newest_on_a_line_and_of_more_a_chart(self, hers, connection, values, is_line):
        usual = {"referenceRange": [{"low": {"value": 3, "unit": "mmol/L"}, "high": {"value": 5, "unit": "mmol/L"}}]}
        keep(connection, *({**result(number), **usual} for number in range(values)))
        text = hers.get(reverse("over_time", args=["results", Record.objects.get(logical_id="o0").pk])).content.decode()
        assert ('class="number-line"' in text) is is_line
        assert ('class="chart"' in text) is not is_line

    def test_of_three_providers_can_be_seen_of_one_alone(self, hers, alice, connection):
        links = [connection, *(make_connection(alice, make_endpoint(f"https://{n}.example/r4")) for n in "bc")]
        for number, link in enumerate(links):
            keep(link, *(result(each, value=10 * (number + 1) + each) for each in range(3)))
        address = reverse("over_time", args=["results", Record.objects.get(connection=connection, logical_id="o0").pk])
        text = hers.get(address).content.decode()
        for link in links:
            assert f'href="?from={link.pk}"' in text
        assert "10 mmol/L" in text
        text = hers.get(address, {"from": links[2].pk, "span": "all"}).content.decode()
        assert "30 mmol/L" in text
        assert "10 mmol/L" not in text
        assert 'href="?span=all"' in text  # the way back keeps the rest
        text = hers.get(address, {"from": "x' or 1=1"}).content.decode()
        assert "10 mmol/L" in text

    def test_of_a_provider_read_in_two_ways_is_that_of_one(self, hers, alice, connection):
        links = [connection, *(make_connection(alice, make_endpoint(f"https://{n}.example/r4")) for n in "bcd")]
        links[1].provider = connection.provider
        links[1].save()
        for number, link in enumerate(links[:3]):
            keep(link, *(result(each, value=10 * (number + 1) + each) for each in range(3)))
        pk = Record.objects.get(connection=connection, logical_id="o0").pk
        address = reverse("over_time", args=["results", pk])
        assert "?from=" not in hers.get(address).content.decode(), "two are told apart by their marks"
        keep(links[3], result(0, value=40))
        text = hers.get(address).content.decode()
        assert text.count("?from=") == 3
        for link in links[:2]:
            text = hers.get(address, {"from": link.pk, "span": "all"}).content.decode()
            assert [value in text for value in ("10 mmol/L", "20 mmol/L", "30 mmol/L", "40 mmol/L")] == [1, 1, 0, 0]
            assert 'class="chip on" href="?span=all"' in text

    def test_of_two_providers_is_not_parted(self, hers, alice, connection):
        other = make_connection(alice, make_endpoint("https://b.example/r4"))
        keep(connection, result(0))
        keep(other, result(1, value=20))
        address = reverse("over_time", args=["results", Record.objects.get(logical_id="o0").pk])
        text = hers.get(address, {"from": str(other.pk)}).content.decode()
        assert "5.1 mmol/L" in text
        assert "20 mmol/L" in text
        assert "?from=" not in text

    def test_is_shown_to_no_stranger(self, client, sam, connection):
        keep(connection, result(1))
        client.force_login(sam)
        pk = Record.objects.get(logical_id="o1").pk
        assert client.get(reverse("over_time", args=["results", pk])).status_code == 404

    def test_is_answered_before_anything_else_but_what_may_be_missing(self, hers, connection, other):
        for one, checked in ((connection, timezone.now()), (other, None)):
            keep(one, *(result(number) for number in range(4)))
            one.last_checked_at = checked
            one.save()
        record = Record.objects.get(connection=connection, logical_id="o3")
        text = hers.get(reverse("over_time", args=["results", record.pk])).content.decode()
        stand = [text.index(said) for said in ("entries may be missing", "Latest: ", '<svg class="chart"', "· checked")]
        assert stand == sorted(stand)


class TestTheOnlyValueOfATest:
    """Nothing is to be seen together with it."""

    ONLY = "This is the only such value in your record."
    LINK = "All values over time"

    def entry(self, client, logical_id="o0", **also):
        record = Record.objects.get(logical_id=logical_id, **also)
        return client.get(reverse("entry", args=["results", record.pk]))

    def test_is_said_to_be_the_only_one(self, hers, sam, connection, other):
        keep(connection, result(0), result(1, name="Potassium", code="2823-3"))
        keep(other, result(2, name="Potassium", code="2823-3"))
        text = self.entry(hers).content.decode()
        assert self.ONLY in text
        assert self.LINK not in text
        hers.force_login(sam)
        assert self.entry(hers).status_code == 404

    @pytest.mark.parametrize("is_of_another", [True, False])
    def test_is_not_where_there_is_a_second(self, hers, connection, other, is_of_another):
        keep(connection, result(0), *(() if is_of_another else (result(1),)))
        keep(other, *((result(1),) if is_of_another else ()))
        text = self.entry(hers).content.decode()
        assert self.LINK in text
        assert self.ONLY not in text

    @pytest.mark.parametrize(("value", "is_only"), [(5.1, True), (6.1, False)])
    def test_may_have_come_twice(self, hers, connection, older, value, is_only):
        keep(connection, result(0))
        keep(older, result(0, value=value))
        assert (self.ONLY in self.entry(hers, connection=connection).content.decode()) is is_only

    def test_is_not_another_persons(self, hers, connection, other):
        keep(connection, result(0))
        keep(other, result(1))
        other.sealed_person = candidates.seal_person(other, Candidate(PATIENT_ID, "Perrin Quillfeather", "2019-03-09"))
        other.save()
        assert self.ONLY in self.entry(hers).content.decode()

    def test_is_not_said_of_one_that_is_gone(self, hers, connection):
        keep(connection, result(0), result(1))
        Record.objects.filter(logical_id="o0").update(removed_at=AT)
        shelving.rebuild_all(connection, at=AT)
        assert self.LINK in self.entry(hers).content.decode()
