"""The list of documents can be narrowed to one kind, or to one author (patient experience 3.8)."""

import re

import pytest
from django.urls import reverse

from apps.records.shelving import document_names
from tests.records.pages import main
from tests.records.shelved import keep, result

pytestmark = pytest.mark.django_db

NOTHING = "Nothing in this list matches what you chose."
RARER = "Less common ones may not be listed here. Search finds them by name."


def document(number, kind="Letter", *authors, on="2024-01-05", **also):
    return {
        "resourceType": "DocumentReference",
        "id": f"d{number}",
        "status": "current",
        "type": {"text": kind},
        "date": f"{on}T09:00:00Z",
        "author": [{"display": author} for author in authors],
        "content": [
            {"attachment": {"contentType": "text/plain", "title": f"File {number}", "url": f"Binary/{number}"}}
        ],
        **also,
    }


def listed(client, address=None):
    """The page of the list at that address, from its heading on."""
    response = client.get(address or reverse("subject", args=["documents"]))
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode()).split("<h1", 1)[1]


def chip(text, name):
    """Where the link of that name among the filters leads to."""
    found = re.search(rf'<a class="chip[^"]*" href="([^"]*)">{re.escape(name)}', text)
    assert found is not None, name
    return reverse("subject", args=["documents"]) + found[1].replace("&amp;", "&")


def titles(text):
    return re.findall(r'class="row-title name">([^<]+)', text)


class TestADocument:
    @pytest.fixture
    def several(self, connection, other):
        keep(
            connection,
            document(1, "Letter", "Dr. Ada Vale"),
            document(2, "Discharge summary", "Dr. Ada Vale", "Dr. Bo Reed"),
            document(3, "Letter", "Dr. Bo Reed", on="2023-02-06"),
        )
        keep(other, document(1, "LETTER", "Dr. Cy Moss"), *(document(f"f{nth}", "Form") for nth in range(12)))

    def test_is_found_by_its_kind_whoever_sent_it(self, hers, sam, several):
        address = chip(listed(hers), "Letter")
        text = listed(hers, address)
        assert len(titles(text)) == 3
        assert "3 entries, newest first" in text
        assert "Discharge summary" not in text
        hers.force_login(sam)
        assert titles(listed(hers, address)) == []

    def test_is_found_by_who_wrote_it_with_others_or_alone(self, hers, several):
        text = listed(hers, chip(listed(hers), "Dr. Ada Vale"))
        assert sorted(titles(text)) == ["Discharge summary", "Letter"]

    def test_is_found_by_both_and_each_choice_is_taken_away_by_its_name(self, hers, several):
        of_kind = listed(hers, chip(listed(hers), "Letter"))
        of_both = listed(hers, chip(of_kind, "Dr. Bo Reed"))
        assert len(titles(of_both)) == 1
        assert "✕" in of_both
        assert len(titles(listed(hers, chip(of_both, "Letter")))) == 2
        assert titles(listed(hers, chip(of_both, "Dr. Bo Reed"))) == titles(of_kind)

    def test_offers_only_what_leads_to_something(self, hers, several):
        text = listed(hers, chip(listed(hers), "Discharge summary"))
        assert ">Dr. Cy Moss<" not in text
        assert ">Dr. Bo Reed<" in text

    def test_offers_no_name_that_no_index_keeps(self, hers, connection, monkeypatch):
        monkeypatch.setattr(document_names, "MOST", 2)
        letters = (document(f"{author}{nth}", "Letter", author) for author in ("Ada", "Bo") for nth in range(9))
        keep(connection, *letters, document("c", "Letter", "Cy"), document("n", "Note", "Ada"))
        text = listed(hers, chip(listed(hers), "Letter"))
        assert re.findall(r'class="chip"[^>]*>(\w+)', text) == ["Ada", "Bo"]
        assert text.count(RARER) == 1

    @pytest.mark.parametrize(("kept", "times"), [(3, 1), (4, 0)])
    def test_may_be_of_a_kind_that_cannot_be_chosen_which_is_said(self, hers, connection, monkeypatch, kept, times):
        monkeypatch.setattr(document_names, "MOST", kept)
        kinds = [document(f"{kind}-{nth}", f"Kind {kind}", "Ada") for kind in range(1, 4) for nth in range(6)]
        keep(connection, *kinds)
        text = listed(hers)
        assert text.count(RARER) == times
        assert RARER not in listed(hers, chip(text, "Kind 1"))

    def test_is_found_by_its_provider_as_well(self, hers, several, other):
        text = listed(hers, chip(listed(hers, chip(listed(hers), "Letter")), "Riverside Hospital"))
        assert len(titles(text)) == 1
        assert "Dr. Cy Moss" in text

    def test_keeps_what_it_is_under_out_of_addresses(self, hers, several):
        text = listed(hers)
        addresses = re.findall(r'class="chip[^"]*" href="([^"]*)"', text)
        assert addresses
        assert not [address for address in addresses if re.search("letter|vale|discharge", address, re.IGNORECASE)]

    def test_of_a_mark_that_nothing_has_is_not_looked_for(self, hers, several):
        for asked in ("0" * 12, "", "Letter", "x" * 500):
            assert len(titles(listed(hers, reverse("subject", args=["documents"]) + f"?kind={asked}"))) == 16

    def test_of_a_choice_without_any_is_said_not_to_be_there(self, hers, several, other):
        of_kind = chip(listed(hers), "Discharge summary")
        text = listed(hers, f"{of_kind}&from={other.pk}")
        assert NOTHING in text
        assert chip(text, "Discharge summary")

    def test_is_told_by_a_name_that_is_text_and_short_enough_to_stand_beside_others(self, hers, connection):
        hostile, long = (
            '"><script>alert(1)</script>',
            "Letter of a kind that takes more than a line of a phone to say " * 2,
        )
        keep(connection, *(document(number, hostile) for number in range(9)))
        keep(connection, *(document(f"l{number}", long) for number in range(9)))
        text = listed(hers)
        told = re.findall(r'class="chip" href="[^"]*">([^<]*)</a>', text)
        assert "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in told
        (shortened,) = (each for each in told if each.startswith("Letter"))
        assert len(shortened) == 60
        assert shortened.endswith("…")
        chosen = listed(hers, chip(text, "Letter of a kind"))
        assert len(titles(chosen)) == 9
        assert re.search(r'<a class="chip on" href="[^"]*">Letter of a kind[^<]*… <span', chosen)

    def test_is_no_choice_where_all_are_alike(self, hers, connection):
        keep(connection, *(document(number, "Letter", "Dr. Ada Vale") for number in range(20)))
        assert "chip" not in listed(hers)

    def test_is_no_choice_among_so_few_that_a_glance_shows_all(self, hers, connection):
        keep(connection, *(document(number, f"Kind {number}") for number in range(15)))
        assert "chip" not in listed(hers)

    def test_has_the_most_frequent_at_hand_and_the_others_folded_away(self, hers, connection):
        kinds = [document(f"{kind}-{nth}", f"Kind {kind}") for kind in range(1, 21) for nth in range(kind)]
        keep(connection, *kinds)
        text = listed(hers)
        at_hand, _details, further = text.partition("<details")
        assert "Kind 20" in at_hand
        assert ">Kind 3<" not in at_hand
        assert ">Kind 3<" in further.split("</details>")[0]
        assert len(titles(listed(hers, chip(text, "Kind 3")))) == 3

    def test_keeps_its_page_numbers_and_its_years(self, hers, connection):
        letters = [document(number, "Letter", on=f"20{10 + number % 9}-01-05") for number in range(120)]
        keep(connection, *letters, *(document(f"n{number}", "Note") for number in range(60)))
        text = listed(hers, chip(listed(hers), "Letter"))
        assert "120 entries, newest first" in text
        assert "Page 1 of 3" in text
        (onward,) = re.findall(r'rel="next" href="([^"]*)"', text)
        second = listed(hers, reverse("subject", args=["documents"]) + onward.replace("&amp;", "&"))
        assert "Page 2 of 3" in second
        assert titles(second) == ["Letter"] * 50
        of_year = listed(hers, chip(text, "2012"))
        assert set(titles(of_year)) == {"Letter"}
        assert "Page" not in of_year

    def test_of_a_page_that_is_no_more_stands_on_the_last(self, hers, connection):
        keep(connection, *(document(number, "Letter") for number in range(60)), document("n", "Note"))
        address = chip(listed(hers), "Letter")
        assert "Page 2 of 2" in listed(hers, f"{address}&page=9")

    def test_is_narrowed_in_its_own_list_alone(self, hers, several, connection):
        keep(connection, result(0), document(1, "Letter", "Dr. Ada Vale"))
        query = chip(listed(hers), "Letter").partition("?")[2]
        for name, args in (("everything_by_date", []), ("subject", ["results"])):
            text = main(hers, name, *args, **dict([query.split("=")]))
            assert "Sodium" in text
            assert "narrow-kind" not in text


LOINC = "http://loinc.org"
PROGRESS = "Progress note: how you were doing"


def coded(number, code="11506-3", text="Progress Notes", **also):
    kind = {"coding": [{"system": LOINC, "code": code}], **({"text": text} if text else {})}
    return document(number, **{"type": kind, **also})


class TestAKindThatWeHaveANameFor:
    def many(self, *others):
        return (*(document(f"f{nth}", "Form") for nth in range(20)), *others)

    def test_is_called_as_its_rows_are(self, hers, sam, connection):
        keep(connection, *self.many(coded(1), coded(2)))
        text = listed(hers, chip(listed(hers), PROGRESS))
        assert [title.strip() for title in titles(text)] == [PROGRESS, PROGRESS]
        assert f"{PROGRESS} <span" in text  # to be taken away by the same name
        hers.force_login(sam)
        assert PROGRESS not in listed(hers)

    def test_is_called_so_where_it_came_as_a_code_alone(self, hers, connection):
        unnamed = [{"attachment": {"contentType": "text/plain", "url": "Binary/1"}}]
        keep(connection, *self.many(coded(1, text="", content=unnamed), coded(2)))
        text = listed(hers)
        assert len(titles(listed(hers, chip(text, f"{PROGRESS}</a>")))) == 1
        assert len(titles(listed(hers, chip(text, f"{PROGRESS} (Progress Notes)")))) == 1

    def test_is_no_other_that_has_the_same_name(self, hers, connection, other):
        keep(connection, *self.many(coded(1), coded(2)))
        keep(other, coded(3, text="ED Notes"))
        text = listed(hers)
        assert len(titles(listed(hers, chip(text, f"{PROGRESS} (Progress Notes)")))) == 2
        assert len(titles(listed(hers, chip(text, f"{PROGRESS} (ED Notes)")))) == 1

    @pytest.mark.parametrize("is_here", [True, False])
    def test_keeps_the_providers_words_where_rows_call_some_of_it_otherwise(self, hers, connection, other, is_here):
        keep(connection, *self.many(coded(1)))
        keep(connection if is_here else other, document(2, "progress notes"))
        text = listed(hers)
        assert PROGRESS not in text.split("<ul", 1)[0]
        assert len(titles(listed(hers, chip(text, "Progress Notes")))) == 2
