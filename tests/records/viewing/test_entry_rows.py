"""Rows of entries, whose markup is written in Python, show what they are given, and nothing of it becomes markup."""

from html.parser import HTMLParser

import pytest
from django.urls import reverse
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from apps.records.subjects import LISTED, RESULTS
from apps.records.templatetags import entry_rows
from apps.records.viewing.listing.entry_list import Section
from apps.records.viewing.listing.rows import Row
from apps.records.viewing.subject_summaries import Summary

ROW = Row(7, "results", "Sodium", "", "Collected", "May 3, 2026", "2026", "", "", (), ("Harbor Practice",))
OURS = {"h2", "ul", "li", "a", "div", "span", "details", "summary", "dd", "strong"}

said = st.text(st.sampled_from("<>&\"'/ =abé\u2028"), max_size=30)
rows = st.builds(
    Row,
    record=st.integers(1, 10**12),
    subject=st.sampled_from(["results", "medicines"]),
    title=said,
    theirs=said,
    when_label=said,
    when=said,
    year=st.just("2026"),
    group=st.just(""),
    status=said,
    details=st.lists(said, max_size=3).map(tuple),
    providers=st.lists(said, min_size=1, max_size=3).map(tuple),
    of_its_test=st.integers(0, 3),
)


class Read(HTMLParser):
    """What a browser makes of it."""

    def __init__(self, markup):
        super().__init__()
        self.tags, self.texts, self.addresses = [], [], []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        assert {name for name, _value in attributes} <= {"class", "href", "aria-current"}
        self.addresses += [value for name, value in attributes if name == "href"]

    def handle_data(self, data):
        self.texts.append(data)


class TestRows:
    @given(rows, st.lists(rows, max_size=4), said, st.booleans())
    def test_say_all_they_are_given_and_none_of_it_is_markup(self, row, others, heading, show_subject):
        row = replace(row, others=tuple(others))
        sections = [Section(heading, (row,)), Section("", (ROW,))]
        read = Read(entry_rows.sections_of_rows(sections, show_subject=show_subject))
        assert set(read.tags) <= OURS
        text = "".join(read.texts)
        for sent in (row.title, row.theirs, row.when_label, row.when, row.status, heading, *row.details):
            assert sent in text
        assert all(provider in text for provider in row.providers)
        assert read.addresses[0].endswith(f"/{row.subject}/{row.record}/")
        assert [address.rsplit("/", 2)[1] for address in read.addresses[1:-1]] == [str(one.record) for one in others]

    def test_can_end_a_line_between_any_two_parts_and_not_within_a_date(self):
        other = replace(ROW, status="Early result", providers=("Riverside Hospital",))
        markup = entry_rows.entry_row(replace(ROW, others=(other,)))
        dated = 'Collected <span class="whole">May 3, 2026</span></span>'
        assert f"<span>{dated} <span><span>· </span>Harbor Practice</span>" in markup
        assert f"<span>Early result</span> <span><span>· </span>{dated}" in markup

    @pytest.mark.parametrize(("language", "label"), [("en", "Collected"), ("es", "Collected:")])
    def test_part_a_date_from_its_label_where_it_is_no_sentence(self, language, label):
        """ "Muestra tomada 3 de mayo" lacks an article; a colon does without, of a month and of a period as well."""
        with translation.override(language):
            assert f'<span>{label} <span class="whole">May 3, 2026</span></span>' in entry_rows.entry_row(ROW)

    def test_of_what_cannot_be_read_begin_with_its_provider(self):
        assert "<span>Harbor Practice</span>" in entry_rows.entry_row(replace(ROW, when_label="", when=""))

    def test_of_one_section_without_a_name_have_no_heading(self):
        assert "<h2" not in entry_rows.sections_of_rows([Section("", (ROW,))])
        several = entry_rows.sections_of_rows([Section("2026", (ROW,)), Section("", (ROW,))])
        assert '<h2 class="group">2026</h2>' in several
        assert '<h2 class="group">Without a date</h2>' in several

    @pytest.mark.parametrize(("language", "expected"), [("en", "1,200 values"), ("es", "1,200 valores")])
    def test_count_in_the_language_of_the_reader(self, language, expected):
        with translation.override(language):
            assert expected in entry_rows.entry_row(replace(ROW, of_its_test=1200))

    @pytest.mark.parametrize(("number", "folded"), [(0, False), (2, False), (3, True)])
    def test_fold_away_several_more_of_the_same_thing(self, number, folded):
        markup = entry_rows.entry_row(replace(ROW, others=(ROW,) * number))
        assert ("<details" in markup) is folded
        assert ('class="under"' in markup) is (number > 0)

    def test_say_how_many_providers_list_it_where_others_do(self):
        elsewhere = replace(ROW, providers=("Riverside Hospital",))
        assert "2 providers list this" in entry_rows.entry_row(replace(ROW, others=(elsewhere,)))
        assert "list this" not in entry_rows.entry_row(replace(ROW, others=(ROW,)))


class TestNames:
    @given(rows, said, st.booleans())
    def test_say_all_they_are_given_and_none_of_it_is_markup(self, row, person, is_dated):
        read = Read(entry_rows.names_of_rows([replace(row, person=person)], is_dated=is_dated))
        assert set(read.tags) <= OURS
        text = "".join(read.texts)
        assert all(sent in text for sent in (row.title, person, *row.details, *([row.when] if is_dated else ())))
        assert [address.rsplit("/", 2)[1] for address in read.addresses] == [str(row.record)]

    def test_are_dated_and_somebodys_only_where_that_is_told(self):
        assert "May 3, 2026" not in entry_rows.names_of_rows([ROW])
        assert "May 3, 2026" in entry_rows.names_of_rows([ROW], is_dated=True)
        assert "(" not in entry_rows.names_of_rows([ROW])

    def test_are_cut_where_they_are_long(self):
        assert f">{'a' * 89}…</a>" in entry_rows.names_of_rows([replace(ROW, title="a" * 91)])
        assert f">{'a' * 90}</a>" in entry_rows.names_of_rows([replace(ROW, title="a" * 90)])


class TestSummaries:
    def test_lead_to_every_list(self):
        read = Read(entry_rows.summary_rows([Summary(subject, 2, "") for subject in LISTED]))
        assert read.addresses == [reverse("subject", args=[subject.key]) for subject in LISTED]
        assert [text for text in read.texts if text in {str(subject.name) for subject in LISTED}] == [
            str(subject.name) for subject in LISTED
        ]

    @pytest.mark.parametrize(
        ("count", "newest", "expected"),
        [
            (0, "", "No entries here. See why."),
            (1, "", "1 entry"),
            (1200, "May 3, 2026", "1,200 entries · newest May 3, 2026"),
            (2, "“<soon>”", "2 entries · newest “<soon>”"),
        ],
    )
    def test_say_how_much_there_is_and_how_new(self, count, newest, expected):
        read = Read(entry_rows.summary_rows([Summary(RESULTS, count, newest)]))
        assert "".join(read.texts) == f"Results\n{expected}"

    def test_are_in_the_language_of_the_reader(self):
        with translation.override("es"):
            markup = entry_rows.summary_rows([Summary(RESULTS, 2, "2026"), Summary(RESULTS, 0, "")])
        assert "entries" not in markup
        assert "newest" not in markup
        assert "See why" not in markup


class TestLinks:
    def test_lead_to_every_list_and_mark_the_one_that_is_shown(self):
        markup = entry_rows.subject_links(LISTED, RESULTS)
        read = Read(markup)
        assert read.addresses == [reverse("subject", args=[subject.key]) for subject in LISTED]
        assert [text for text in read.texts if text.strip()] == [str(subject.name) for subject in LISTED]
        assert markup.count('aria-current="page"') == 1
        assert f'href="{reverse("subject", args=["results"])}" aria-current="page"' in markup
        assert "aria-current" not in entry_rows.subject_links(LISTED, "")
