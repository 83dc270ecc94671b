"""A DiagnosticReport of either version: its panel in order, its words, its files, and who ordered it."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from apps.records.presenters import reports
from apps.records.presenters.entry import Context
from apps.records.presenters.observations.results import Group, Status
from apps.records.presenters.reports import Category, ReportEntry
from tests.records.presenters import corpus, oddities

COMMON = {
    "resourceType": "DiagnosticReport",
    "id": "lipids-1",
    "code": {"coding": [{"system": "http://loinc.org", "code": "24331-1"}], "text": "Lipid panel"},
    "subject": {"reference": "Patient/wren"},
    "effectiveDateTime": "2026-09-01",
    "issued": "2026-09-02T10:00:00Z",
    "status": "final",
    "specimen": [{"reference": "Specimen/blood"}],
    "result": [{"reference": "Observation/ldl"}, {"reference": "#hdl"}, {"reference": "Observation/total"}],
    "contained": [
        {"resourceType": "Observation", "id": "hdl", "code": {"text": "HDL"}, "valueQuantity": {"value": 50}}
    ],
    "conclusion": "Fasting sample.",
    "presentedForm": [{"contentType": "application/pdf", "data": "QUJD", "title": "Report"}],
}
DSTU2 = {
    **COMMON,
    "category": {"coding": [{"system": "http://hl7.org/fhir/v2/0074", "code": "LAB"}]},
    "performer": {"display": "Tarn Laboratory"},
    "request": [{"reference": "DiagnosticOrder/7"}],
    "codedDiagnosis": [{"text": "Finding of fats"}],
    "image": [{"link": {"reference": "Media/1"}}],
}
R4 = {
    **COMMON,
    "category": [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0074", "code": "LAB"}]}],
    "performer": [{"display": "Tarn Laboratory"}],
    "basedOn": [{"reference": "ServiceRequest/7"}],
    "conclusionCode": [{"text": "Finding of fats"}],
    "media": [{"link": {"reference": "Media/1"}}],
}
CONTEXT = Context(
    others={
        "Specimen/blood": {"type": {"text": "Venous blood"}},
        "DiagnosticOrder/7": {"orderer": {"reference": "Practitioner/9"}},
        "ServiceRequest/7": {"requester": {"display": "Dr. Orla Vantongeren"}},
        "Practitioner/9": {"name": {"text": "Dr. Orla Vantongeren"}},
    }
)
NAMES = (
    "code", "status", "category", "result", "contained", "conclusion", "conclusionCode", "codedDiagnosis", "specimen",
    "presentedForm", "media", "image", "link", "performer", "resultsInterpreter", "basedOn", "request", "issued",
)  # fmt: skip


class TestAReportOfEitherVersion:
    @pytest.mark.conformance("C58")
    def test_is_presented_alike_but_for_whom_it_names(self):
        orders = Context(others={**CONTEXT.others, "Practitioner/9": {"name": [{"text": "Dr. Orla Vantongeren"}]}})
        found = {each: reports.present(each_sent, CONTEXT) for each, each_sent in (("dstu2", DSTU2), ("r4", R4))}
        assert found["dstu2"] == found["r4"]
        assert reports.present(DSTU2, orders) == found["r4"]

    def test_says_what_was_sent(self):
        entry = reports.present(R4, CONTEXT)
        assert (entry.title, entry.category) == ("Lipid panel", Category.LABORATORY)
        assert (entry.status, entry.group) == (Status.FINAL, Group.REPORTED)
        assert (entry.when.starts, entry.reported.starts) == ("2026-09-01", "2026-09-02T10:00:00Z")
        assert (entry.people, entry.ordered_by) == (("Tarn Laboratory",), ("Dr. Orla Vantongeren",))
        assert (entry.conclusion, entry.conclusion_names) == ("Fasting sample.", ("Finding of fats",))
        assert (entry.specimen, entry.images) == ("Venous blood", ("Media/1",))

    def test_keeps_its_results_in_order_and_those_that_it_holds(self):
        entry = reports.present(R4, CONTEXT)
        assert entry.results == ("Observation/ldl", "#hdl", "Observation/total")
        assert [(inside.logical_id, inside.title) for inside in entry.inside] == [("#hdl", "HDL")]

    @pytest.mark.parametrize(("about", "count"), [("Patient/wren", 1), ("Patient/donor", 0), ("#me", 1)])
    def test_holds_no_result_of_another_patient(self, about, count):
        inside = {"resourceType": "Observation", "id": "x", "subject": {"reference": about}, "valueString": "Positive"}
        entry = reports.present({**COMMON, "contained": [inside]}, CONTEXT)
        assert len(entry.inside) == count

    @pytest.mark.parametrize(("about", "count"), [("Patient/wren", 1), ("Patient/donor", 0)])
    def test_that_names_nobody_is_of_the_patient_whose_record_it_is_in(self, about, count):
        inside = {"resourceType": "Observation", "id": "x", "subject": {"reference": about}, "valueString": "Positive"}
        unsaid = {name: value for name, value in COMMON.items() if name != "subject"}
        entry = reports.present({**unsaid, "contained": [inside]}, replace(CONTEXT, patient="wren"))
        assert len(entry.inside) == count

    def test_describes_its_files_without_their_content(self):
        entry = reports.present(R4, CONTEXT)
        assert entry.forms[0].media_type == "application/pdf"
        assert entry.forms[0].has_content
        assert "QUJD" not in repr(entry)

    @pytest.mark.conformance("C61")
    def test_entered_in_error_says_nothing_else(self):
        entry = reports.present({**R4, "status": "entered-in-error"}, CONTEXT)
        assert entry == ReportEntry(resource_type="DiagnosticReport", logical_id="lipids-1", is_withdrawn=True)


class TestTheCategoryOfAReport:
    @pytest.mark.parametrize(
        ("code", "category", "is_grave"),
        [
            ("HM", Category.LABORATORY, False),
            ("RAD", Category.IMAGING, False),
            ("CT", Category.IMAGING, False),
            ("LP29708-2", Category.HEART, False),
            ("CG", Category.GENETICS, True),
            ("PAT", Category.PATHOLOGY, True),
            ("CP", Category.PATHOLOGY, True),
            ("SP", Category.PATHOLOGY, True),
            ("LP7839-6", Category.PATHOLOGY, True),
            ("GE", Category.GENETICS, True),
            ("MB", Category.GERMS, False),
            ("34117-2", Category.NOTE, False),
            ("odd", Category.OTHER, False),
        ],
    )
    def test_tells_which_may_be_grave(self, code, category, is_grave):
        entry = reports.present({**R4, "category": [{"coding": [{"code": code}]}]}, CONTEXT)
        assert (entry.category, entry.may_be_grave) == (category, is_grave)

    @pytest.mark.parametrize(
        ("categories", "category", "is_grave"),
        [
            ([["LAB", "SP"]], Category.LABORATORY, True),
            ([["LAB"], ["SP"]], Category.LABORATORY, True),
            ([["SP"], ["LAB"]], Category.PATHOLOGY, True),
            ([["LAB", "odd"], ["HM", "ge"]], Category.LABORATORY, True),
            ([["LAB"], ["RAD", "HM"]], Category.LABORATORY, False),
        ],
    )
    def test_may_be_grave_for_any_of_its_categories(self, categories, category, is_grave):
        sent = [{"coding": [{"code": code} for code in codes]} for codes in categories]
        entry = reports.present({**R4, "category": sent}, CONTEXT)
        assert (entry.category, entry.may_be_grave) == (category, is_grave)

    def test_may_be_grave_for_any_code_of_the_one_category_of_dstu2(self):
        sent = {"coding": [{"code": "LAB"}, {"code": "PAT"}]}
        assert reports.present({**DSTU2, "category": sent}, CONTEXT).may_be_grave

    @pytest.mark.parametrize(
        ("title", "is_grave"),
        [("HIV-1 antibody", True), ("Skin biopsy", True), ("BRCA genetic test", True), ("Archive copy", False)],
    )
    def test_is_helped_by_the_title(self, title, is_grave):
        assert reports.present({**R4, "code": {"text": title}}, CONTEXT).may_be_grave == is_grave


class TestAConclusion:
    def test_is_whole_however_long(self):
        said = "No sign of it. " * 1_000 + "Except at the margin."
        assert reports.present({**R4, "conclusion": said}, CONTEXT).conclusion == said

    def test_ends_with_an_ellipsis_where_it_is_a_book(self):
        told = reports.present({**R4, "conclusion": "a" * 400_000}, CONTEXT).conclusion
        assert (len(told), told[-2:]) == (300_001, "a…")


class TestAnyReport:
    @settings(deadline=None)
    @given(oddities.odd(*NAMES))
    def test_never_raises_and_can_be_shelved(self, content):
        oddities.shelved(reports.present, content)

    def test_of_others_has_a_title_and_a_date(self):
        entries = [entry for _, entry in corpus.presented(reports.present, "DiagnosticReport")]
        assert corpus.share(sum(bool(entry.title) for entry in entries), len(entries)) >= 0.98
        assert corpus.share(sum(bool(entry.when) for entry in entries), len(entries)) >= 0.98
