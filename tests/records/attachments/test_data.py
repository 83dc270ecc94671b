"""XML data is shown as values with their names: a file that says something is not called empty."""

import pytest

from apps.records.attachments import reading, sniffing
from apps.records.presenters.prose import blocks, data
from tests.effort import at_most

XML = "<?xml version='1.0'?>"


def told(markup):
    content = (XML + markup).encode()
    found = reading.read(content, sniffing.type_of(content, declared="text/xml"), declared="text/xml")
    assert found is not None
    return found


class TestData:
    @pytest.mark.parametrize(
        ("markup", "said"),
        [
            ("<labs><lab of='Na' value='140'/><lab of='K'>4</lab></labs>", "lab: of Na, value 140\nlab: of K: 4"),
            ("<Obs xmlns='http://hl7.org/fhir'><status value='final'/></Obs>", "status: final"),
            ("<!--x--><c:Dose xmlns:c='x' xsi:type='y'><Value>5</Value><Unit>mg</Unit></c:Dose>", "value: 5\nunit: mg"),
            ("<Obs><text><div xmlns='x'><p>Sodium <b>high</b></p></div></text></Obs>", "Sodium\nhigh"),
        ],
    )  # fmt: skip
    def test_is_told_with_its_names(self, markup, said):
        assert told(markup).plain == said

    @pytest.mark.parametrize("root", ["html", "div", "svg", "p", "ClinicalDocument"])
    def test_is_no_page_no_drawing_and_no_clinical_document(self, root):
        assert not data.is_data(f"{XML}<!DOCTYPE x><{root} a='b'>x</{root}>")
        assert not data.is_data("<lod> 5")

    def test_that_ends_in_its_middle_is_not_said_to_be_all(self):
        assert told("<labs><lab value='140'/><!-- x").is_damaged
        assert not told("<labs><lab value='140'/></labs>").is_damaged

    def test_runs_nothing_and_expands_nothing(self):
        bomb = "<!DOCTYPE x [<!ENTITY a 'Canary'>]><labs><lab value='&a;'/><script>Canary</script></labs>"
        assert told(bomb).plain == "lab: &a;"

    @pytest.mark.parametrize(
        "markup", ["<a b='c'>" * 300_000, "<!--" * 500_000, "<?x " * 500_000, "<!-- -->" * 300_000]
    )
    def test_made_to_hurt_is_read_in_one_pass(self, markup):
        with at_most(million_steps=1500):
            assert len(told(markup).plain) <= blocks.MOST_CHARACTERS * 2
