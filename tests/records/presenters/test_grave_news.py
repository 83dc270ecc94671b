"""What may be grave news is recognized by its name and its codes, in every type of resource."""

import pytest

from apps.records.presenters import grave_news
from apps.records.presenters.entry import Code

LOINC = "http://loinc.org"


def coded(code, display="", system=LOINC):
    return {"coding": [{"system": system, "code": code, "display": display}]}


def may_be_in(resource):
    return grave_news.may_be_in(resource, resource_type=resource["resourceType"])


class TestGraveNews:
    @pytest.mark.parametrize(
        "title",
        [
            "Surgical pathology", "Hematopathology consult", "Anatomía patológica", "Cytology, non-gyn", "Pap smear",
            "PAP TEST, LIQUID", "Papanicolaou", "Histología", "Biopsia de piel", "Autopsy", "BRCA1 genetic test",
            "BRCA2", "CYP2C19 genotype", "Haplotype Call *4", "Genotipo", "Estudio genético",
            "Whole genome", "Cytogenetics", "Karyotype", "Chromosome analysis",
            "HIV 1/2 antibodies", "HIV1 RNA", "VIH, carga viral", "Human immunodeficiency virus Ab",
            "Products of conception", "Stillbirth review", "Fetal demise", "Aborto espontáneo", "Pérdida gestacional",
        ],
    )  # fmt: skip
    def test_may_be_where_its_name_says_so(self, title):
        assert grave_news.is_named_by(title, ())
        assert grave_news.is_named_by(title.upper(), ())
        assert grave_news.is_named_by("", (Code("", "", title),))

    @pytest.mark.parametrize(
        "title",
        [
            "", "Basic panel", "Hives after peanuts", "Archive copy", "Speech pathology note",
            "Speech-language pathology", "Clinical pathology", "Pathology and laboratory", "CT of the chest", "Pap",
            "General notes",
        ],
    )  # fmt: skip
    def test_may_not_be_in_everything(self, title):
        assert not grave_news.is_named_by(title, (Code(LOINC, "2951-2", title),))
        assert not grave_news.is_named_by(title.upper(), ())

    @pytest.mark.parametrize("code", ["11529-5", "22637-3", "47528-5", "51969-4", "29770-5", "56888-1", "20447-9"])
    @pytest.mark.parametrize("system", [LOINC, "urn:oid:2.16.840.1.113883.6.1"])
    @pytest.mark.parametrize(
        ("resource_type", "element"),
        [("DiagnosticReport", "code"), ("Observation", "code"), ("DocumentReference", "type"), ("Media", "type")],
    )
    def test_may_be_where_its_code_alone_says_so(self, code, system, resource_type, element):
        assert may_be_in({"resourceType": resource_type, element: coded(code, system=system)})

    def test_is_not_where_another_system_has_such_a_code(self):
        assert not may_be_in({"resourceType": "Observation", "code": coded("11529-5", system="urn:lab")})

    def test_may_be_where_a_display_says_so_beside_a_title(self):
        code = {"text": "Report", **coded("x", "Surgical pathology", "urn:lab")}
        assert may_be_in({"resourceType": "DiagnosticReport", "code": code})

    @pytest.mark.parametrize(
        "elements",
        [
            {"type": {"text": "Pathology report"}},
            {"category": [{"text": "Pathology"}]},
            {"category": [coded("LP7839-6")]},
            {"class": {"text": "Genetics"}},
            {"description": "Biopsy of the skin"},
            {"content": [{"attachment": {"contentType": "application/pdf", "url": "u", "title": "Cytology.pdf"}}]},
        ],
    )
    def test_may_be_in_a_document_however_it_is_called_so(self, elements):
        assert may_be_in({"resourceType": "DocumentReference", "type": {"text": "Letter"}, **elements})

    @pytest.mark.parametrize("called", [{"title": "Pathology report"}, {"type": {"text": "Biopsy"}}])
    def test_may_be_in_a_document_that_is_told_part_by_part(self, called):
        assert may_be_in({"resourceType": "Composition", **called})
        assert not may_be_in({"resourceType": "Composition", "title": "Letter", "type": {"text": "Letter"}})

    @pytest.mark.parametrize("name", ["subtype", "modality", "view", "reasonCode"])
    def test_may_be_in_a_picture(self, name):
        assert may_be_in({"resourceType": "Media", name: [{"text": "Histology slide"}]})

    @pytest.mark.parametrize("code", ["PAT", "SP", "CP", "GE", "CG", "sp", "LP7839-6"])
    def test_may_be_in_a_report_of_such_a_section(self, code):
        category = [{"coding": [{"code": "LAB"}]}, {"coding": [{"code": code}]}]
        assert may_be_in({"resourceType": "DiagnosticReport", "category": category})
        assert not may_be_in({"resourceType": "DocumentReference", "category": [{"coding": [{"code": "CT"}]}]})

    def test_may_be_in_a_part_of_a_result(self):
        panel = {"resourceType": "Observation", "code": {"text": "Panel"}}
        parts = [{"code": {"text": "Sodium"}}, {"code": coded("56888-1")}]
        assert may_be_in({**panel, "component": parts})
        assert not may_be_in({**panel, "component": parts[:1]})
        assert not may_be_in({**panel, "resourceType": "DiagnosticReport", "component": parts})

    def test_may_be_in_what_a_report_contains(self):
        inside = {"resourceType": "Observation", "id": "in", "code": coded("56888-1")}
        report = {"resourceType": "DiagnosticReport", "code": {"text": "Panel"}}
        assert may_be_in({**report, "contained": [inside]})
        assert not may_be_in({**report, "contained": [{"resourceType": "Specimen", "code": coded("56888-1")}, "odd"]})

    def test_is_not_told_by_what_it_says(self):
        said = {"conclusion": "Biopsy shows cancer", "note": [{"text": "pathology"}], "text": {"div": "genetic"}}
        assert not may_be_in({"resourceType": "DiagnosticReport", "code": {"text": "Panel"}, **said})

    @pytest.mark.parametrize("resource_type", ["Procedure", "Condition", "Patient", ""])
    def test_is_asked_of_no_other_type(self, resource_type):
        assert not may_be_in({"resourceType": resource_type, "code": {"text": "Biopsy"}})

    @pytest.mark.parametrize("odd", [None, 7, "x", [], ["x"], [None], {"coding": "x"}, {"text": 7}])
    def test_is_looked_for_in_anything(self, odd):
        for resource_type in grave_news.CARRIERS:
            names = ("code", "category", "type", "class", "description", "contained", "content")
            assert not may_be_in({"resourceType": resource_type, **dict.fromkeys(names, odd)})
