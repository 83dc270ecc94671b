"""A corrected result is in the table of its test together with what it was before."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.connections.models import Connection
from apps.records.models import Record, RecordVersion
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

BEFORE = "Before the correction: 6.1 mmol/L"


def corrected(number: int = 0, *, value: float = 5.4, status: str = "corrected", **said: object) -> dict[str, object]:
    return {**result(number, value=value), "status": status, **said}


def over_time(client: Client, logical_id: str = "o0", subject: str = "results") -> str:
    record = Record.objects.filter(logical_id=logical_id).earliest("pk")
    text: str = client.get(reverse("over_time", args=[subject, record.pk])).content.decode()
    return text


def row_of(text: str, value: str) -> str:
    """The row of the table that has this value in its second cell."""
    rows = re.findall(r"<tr.*?</tr>", text, re.DOTALL)
    (found,) = [row for row in rows if re.search(rf"<td[^>]*>\s*(<[^>]*>)*\s*{re.escape(value)}", row)]
    return str(found)


class TestACorrectedResult:
    def test_says_in_its_row_what_it_was_before(self, hers: Client, connection: Connection):
        keep(connection, result(0, value=6.1), result(1), result(2))
        keep(connection, corrected())
        text = over_time(hers)
        assert "Corrected result" in row_of(text, "5.4 mmol/L")
        assert BEFORE in row_of(text, "5.4 mmol/L")
        assert text.count(BEFORE) == 1
        assert text.count("6.1") == 1, "the corrected value alone is drawn"

    def test_says_so_in_dstu2_words_and_in_spanish(self, hers: Client, connection: Connection):
        keep(connection, result(0, value=6.1), result(1))
        keep(connection, corrected(status="amended"))
        hers.cookies["django_language"] = "es"
        assert "Antes de la corrección: 6.1 mmol/L" in over_time(hers)

    def test_says_the_value_that_differs_whatever_was_sent_again_between(self, hers: Client, connection: Connection):
        keep(connection, result(0, value=6.1), result(1))
        keep(connection, corrected(note=[{"text": "first"}]))
        keep(connection, corrected(note=[{"text": "second"}]))
        assert BEFORE in over_time(hers)

    def test_says_it_however_often_the_same_was_sent_again(self, hers: Client, connection: Connection):
        keep(connection, result(0, value=6.1), result(1))
        for number in range(8):
            keep(connection, corrected(meta={"versionId": str(number)}))
        assert RecordVersion.objects.count() > 6
        assert BEFORE in over_time(hers)

    def test_says_the_newest_of_several(self, hers: Client, connection: Connection):
        keep(connection, result(0, value=7.7), result(1))
        keep(connection, result(0, value=6.1))
        keep(connection, corrected())
        text = over_time(hers)
        assert BEFORE in text
        assert "7.7" not in text

    def test_says_nothing_where_another_thing_was_corrected(self, hers: Client, connection: Connection):
        keep(connection, result(0, value=5.4), result(1))
        keep(connection, corrected(effectiveDateTime="2024-06-01"))
        assert "Before the correction" not in over_time(hers)

    @pytest.mark.parametrize(("letters", "is_said"), [(100_000, True), (300_000, False)])
    def test_reads_no_earlier_version_that_is_far_too_long(
        self, hers: Client, connection: Connection, letters: int, *, is_said: bool
    ):
        """Sealed it is short, as its letters are all the same."""
        keep(connection, {**result(0, value=6.1), "text": {"div": "n" * letters}}, result(1))
        keep(connection, corrected())
        assert (BEFORE in over_time(hers)) is is_said

    def test_says_nothing_where_we_have_no_earlier_version(self, hers: Client, connection: Connection):
        keep(connection, corrected(), result(1))
        assert "Before the correction" not in over_time(hers)

    @pytest.mark.parametrize(
        "first",
        [
            {"status": "entered-in-error"},
            {"status": "registered"},
            {"status": "cancelled"},
            {"code": {"text": "Potassium", "coding": [{"system": "http://loinc.org", "code": "2823-3"}]}},
        ],
    )
    def test_says_nothing_of_what_was_no_value_of_its_test(self, hers: Client, connection: Connection, first):
        keep(connection, {**result(0, value=6.1), **first}, result(1))
        keep(connection, corrected())
        assert "Before the correction" not in over_time(hers)

    def test_is_read_by_its_own_word_alone(self, hers: Client, connection: Connection):
        """An early result that is final now was not corrected."""
        keep(connection, {**result(0, value=6.1), "status": "preliminary"}, result(1))
        keep(connection, result(0, value=5.4))
        assert "Before the correction" not in over_time(hers)

    def test_of_two_numbers_says_both(self, hers: Client, connection: Connection):
        def pressure(upper: int, status: str) -> dict[str, object]:
            parts = [("8480-6", upper), ("8462-4", 82)]
            return {
                **result(0, name="Blood pressure", code="85354-9"),
                "valueQuantity": None,
                "status": status,
                "category": [{"coding": [{"code": "vital-signs"}]}],
                "component": [
                    {
                        "code": {"coding": [{"system": "http://loinc.org", "code": code}]},
                        "valueQuantity": {"value": value, "unit": "mmHg"},
                    }
                    for code, value in parts
                ],
            }

        keep(connection, pressure(182, "final"))
        keep(connection, pressure(128, "corrected"))
        text = over_time(hers, subject="vitals")
        assert "Before the correction" in text
        assert "182/82" in text

    def test_was_called_what_may_be_grave_and_says_nothing_unread(self, hers: Client, connection: Connection):
        named = {"code": {**result(0)["code"], "text": "HIV genotype"}}
        keep(connection, result(1), {**result(0, value=6.1), **named})
        keep(connection, corrected())
        text = over_time(hers, "o1")
        assert "5.4 mmol/L" in text
        assert "6.1" not in text
        User.objects.update(asks_before_grave_news=False)
        assert BEFORE in over_time(hers, "o1")

    def test_says_it_in_the_file_as_well(self, hers: Client, connection: Connection):
        keep(connection, result(0, value=6.1), *(result(number) for number in range(1, 60)))
        keep(connection, corrected(), corrected(59, value=5.2))
        record = Record.objects.get(logical_id="o0")
        saved = hers.get(reverse("save_values", args=["results", record.pk])).content.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(saved)))
        assert len(rows) == 61
        assert rows[1][-1] == f"Corrected result; {BEFORE}"
        assert rows[60][-1] == "Corrected result; Before the correction: 5.1 mmol/L"

    def test_says_on_its_own_page_what_it_was(self, hers: Client, connection: Connection):
        keep(connection, result(0, value=6.1))
        keep(connection, corrected())
        record = Record.objects.get(logical_id="o0")
        text = hers.get(reverse("entry", args=["results", record.pk])).content.decode()
        assert text.index("5.4") < text.index("Earlier versions") < text.index("6.1")

    def test_of_another_person_is_shown_to_no_stranger(self, hers: Client, sam: User, connection: Connection):
        keep(connection, result(0, value=6.1), result(1))
        keep(connection, corrected())
        theirs = make_connection(sam, make_endpoint("https://s.example/r4"))
        keep(theirs, result(0, value=9.9), result(1, value=9.8))
        keep(theirs, corrected(value=9.7))
        text = over_time(hers)
        assert BEFORE in text
        assert "9.9" not in text
        record = Record.objects.get(connection=connection, logical_id="o0")
        hers.force_login(sam)
        assert hers.get(reverse("over_time", args=["results", record.pk])).status_code == 404


class TestAPageOverTime:
    def test_stays_within_twelve_queries(self, hers: Client, connection: Connection, django_assert_max_num_queries):
        keep(connection, *(result(number, value=6.1) for number in range(9)))
        keep(connection, *(corrected(number) for number in range(9)))
        over_time(hers)  # that she looked is written down now
        record = Record.objects.get(logical_id="o0")
        with django_assert_max_num_queries(12):
            text = hers.get(reverse("over_time", args=["results", record.pk])).content.decode()
        assert text.count(BEFORE) == 9

    def test_opens_no_version_but_of_the_corrected_rows_it_shows(self, hers: Client, connection: Connection, caplog):
        potassium = result(70, name="Potassium", code="2823-3")
        keep(connection, *(result(number, value=6.1) for number in range(60)), potassium)
        keep(connection, *(corrected(number) for number in (0, 58, 59)), result(1, value=5.5))
        keep(connection, {**potassium, "status": "corrected", "valueQuantity": {"value": 4.1, "unit": "mmol/L"}})
        User.objects.update(asks_before_grave_news=False)  # or what this very entry said before is looked at
        RecordVersion.objects.exclude(record__logical_id="o0").update(sealed_body=b"\x01" * 80)
        caplog.clear()
        assert over_time(hers).count(BEFORE) == 1
        assert "does not open" not in caplog.text, "what is left shut is told of by nobody"
        record = Record.objects.get(logical_id="o0")
        hers.get(reverse("over_time", args=["results", record.pk], query={"all": ""}))
        assert caplog.text.count("does not open") == 2

    def test_is_shown_although_a_version_does_not_open(self, hers: Client, connection: Connection):
        keep(connection, result(0, value=6.1), result(1))
        keep(connection, corrected())
        RecordVersion.objects.update(sealed_body=b"\x01" * 80, superseded_at=AT + timedelta(days=1))
        User.objects.update(asks_before_grave_news=False)
        text = over_time(hers)
        assert "5.4 mmol/L" in text
        assert "Before the correction" not in text
