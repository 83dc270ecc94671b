"""What many people keep to themselves is recognized by its codes and names, in every kind of entry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records import presenting
from apps.records.presenters.entry import Code, Entry
from apps.records.presenters.memoizing import memoizing
from apps.records.presenters.sensitivity import sensitive_codes
from apps.records.presenters.sensitivity.sensitive import is_sensitive
from tests.records.told import entry

ICD_9, ICD_10 = "http://hl7.org/fhir/sid/icd-9-cm", "http://hl7.org/fhir/sid/icd-10-cm"
PCS, SNOMED, LOINC = "http://www.cms.gov/Medicare/Coding/ICD10", "http://snomed.info/sct", "http://loinc.org"

ABSENT = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
FOUND = {"valueString": "Opioids"}
SCHIZOPHRENIA = {"coding": [{"system": ICD_10, "code": "F20.9"}]}
TITLED = [{"attachment": {"title": title, "url": "b"}} for title in ("Depression follow-up", "Page 2")]


def named(text):
    return entry("Condition", code={"text": text})


def coded(code, system, display=""):
    return entry("Condition", code={"coding": [{"system": system, "code": code, "display": display}]})


class TestWhatIsSensitive:
    @pytest.mark.parametrize(
        "text",
        [
            # the mind
            "Major depressive disorder", "DEPRESSION", "Depresión", "Trastorno depresivo", "Anxiety", "Ansiedad",
            "PTSD", "Estrés postraumático", "Bipolar I disorder", "Mania", "Hipomanía", "Schizophrenia",
            "Esquizofrenia", "Psychosis", "Psicosis", "Salud mental", "Altered mental status", "Behavioral health",
            "ADHD", "TDAH", "Bulimia", "Anorexia nervosa", "Trastorno alimentario", "Dementia", "Gender dysphoria",
            # alcohol, drugs, tobacco
            "Alcohol use disorder", "Alcoholic cirrhosis", "Alcoholismo", "Drug abuse", "Drug-seeking behavior",
            "Opioid dependence", "Dependencia de opioides", "Consumo de sustancias", "Cocaine use", "Heroína",
            "Overdose", "Sobredosis", "Tobacco use", "Fumador", "Cannabis", "Drogadicción",
            # HIV and the like
            "HIV disease", "HIV-1 infection", "VIH", "SIDA", "AIDS", "Syphilis", "Sífilis", "Gonorrhea", "Gonorrea",
            "Chlamydia", "Clamidia", "Genital herpes", "Herpes genital", "STI screening", "HPV",
            "Virus del papiloma humano",
            # pregnancies
            "Miscarriage", "Missed abortion", "Aborto espontáneo", "Pregnancy", "Embarazo", "Gestational diabetes",
            "Stillbirth", "Muerte fetal", "Infertility", "Vasectomía", "Contraceptive counseling", "IUD in place",
            "Preeclampsia", "Labor", "Fetus with unknown complication", "Trabajo de parto",
            # violence, suicide, how somebody lives
            "Domestic violence", "Violencia de pareja", "Adult physical abuse", "Maltrato infantil", "Assault", "Rape",
            "Violación", "Suicide attempt", "Ideación suicida", "Self-harm", "Self harm", "Autolesión", "Homeless",
            "Full-time employment (finding)", "Food insecurity", "Stress (finding)",
        ],
    )  # fmt: skip
    def test_is_what_is_called_so(self, text):
        assert is_sensitive(named(text))
        assert is_sensitive(coded("x", "urn:local", text))

    @pytest.mark.parametrize(
        "text",
        ["HIV negative contact", "No abuse", "Sin abuso de alcohol", "No history of depression", "HIV ruled out"],
    )
    def test_is_what_denies_it(self, text):
        assert is_sensitive(named(text))

    @pytest.mark.parametrize(
        "text",
        [
            "Laboratory error", "Stress fracture", "Elaboration", "Drug delivery device",
            "", "Essential hypertension", "Diabetes mellitus", "Rapeseed allergy", "Grape intolerance",
            "Nonalcoholic fatty liver disease", "Non-alcoholic steatohepatitis", "Hígado graso no alcohólico",
            "ST depression", "Respiratory depression", "Bone marrow depression", "Hearing aids", "Mental nerve injury",
            "Environmental allergy", "Hispanic heritage", "Visit to Romania", "Molestia abdominal", "Drug allergy",
            "Drug-induced lupus", "Bipolar hemiarthroplasty", "Aspergillosis", "Cardiac stress test", "Archive",
            "Hives", "Prueba de esfuerzo", "Molar fracture", "Steroids",
        ],
    )  # fmt: skip
    def test_is_not_a_word_within_another_nor_one_of_another_meaning(self, text):
        assert not is_sensitive(named(text))

    @pytest.mark.parametrize(
        ("system", "code"),
        [
            *((ICD_10, code) for code in (
                "F32.9", "F329", "f10.20", "F17.210", "F03.90", "K70.30", "K29.20", "B20", "Z21", "G30.9", "A53.9",
                "A56.00", "A60.00", "Z11.4", "Z20.6", "O03.9", "O80", "O9A.311", "Z33.1", "Z3A.20", "Z30.430", "N97.9",
                "T74.11XA", "T76.22XA", "Y04.0XXA", "Y07.01", "X78.1XXA", "X64", "R45.851", "T14.91XA", "Z91.51",
                "T39.012A", "T42.4X2A", "T50.902A", "T58.02XA", "Z59.00", "Z63.0", "Z87.891", "Z72.51",
            )),
            *((ICD_9, code) for code in (
                "296.20", "29620", "303.90", "305.1", "309.81", "042", "V08", "079.53", "091.9", "054.10", "634.90",
                "V22.1", "V25.11", "628.9", "E950.0", "E968.9", "995.81", "995.50", "V62.84", "V15.82", "571.2",
            )),
            (PCS, "10A07ZZ"), (PCS, "GZ58ZZZ"), (PCS, "HZ2ZZZZ"),
            (SNOMED, "35489007"), (SNOMED, "86406008"), (SNOMED, "17369002"), (SNOMED, "82313006"),
            ("urn:oid:2.16.840.1.113883.6.103", "296.20"), ("urn:oid:2.16.840.1.113883.6.90", "F32.9"),
            ("urn:oid:2.16.840.1.113883.6.96", "35489007"), (f"{ICD_10}/", "F32.9"), ("", "F32.9"),
        ],
    )  # fmt: skip
    def test_is_what_its_code_alone_tells(self, system, code):
        assert is_sensitive(coded(code, system))

    @pytest.mark.parametrize(
        ("system", "code"),
        [
            *((ICD_10, code) for code in (
                "I10", "E11.9", "K76.0", "B18.2", "A41.9", "Z38.00", "T39.011A", "T42.4X5A", "R07.9", "Z00.00", "M54.5",
                "N39.0", "Y93.01",
            )),
            *((ICD_9, code) for code in ("401.9", "250.00", "571.8", "995.86", "995.91", "V70.0", "E885.9", "079.99")),
            (PCS, "0DTJ4ZZ"), (SNOMED, "38341003"), ("urn:local", "F32.9"), (LOINC, "F32.9"), ("", "296.20"),
        ],
    )  # fmt: skip
    def test_is_not_another_code_nor_one_of_another_system(self, system, code):
        assert not is_sensitive(coded(code, system, "Essential hypertension"))

    @pytest.mark.parametrize(
        ("resource_type", "sent"),
        [
            ("Procedure", {"code": {"text": "Dilation and curettage"}}),
            ("Procedure", {"code": {"text": "Counseling"}, "reasonCode": [{"text": "Alcohol abuse"}]}),
            ("Procedure", {"code": {"text": "Biopsy"}, "report": [{"display": "HIV test"}]}),
            ("Encounter", {"type": [{"text": "Psychiatry visit"}]}),
            ("Encounter", {"type": [{"text": "Office visit"}], "reason": [{"text": "Depression"}]}),
            ("CarePlan", {"title": "Plan", "activity": [{"detail": {"description": "Quit smoking"}}]}),
            ("CareTeam", {"name": "Team", "reasonCode": [{"text": "Opioid dependence"}]}),
            ("Goal", {"description": {"text": "Stay free of alcohol"}}),
            ("DocumentReference", {"type": {"text": "Psychiatry note"}}),
            ("DocumentReference", {"type": {"text": "Note"}, "description": "Mental health intake"}),
            ("DocumentReference", {"description": "Letter", "content": TITLED}),
            ("DocumentReference", {"relatesTo": [{"code": "appends", "target": {"display": "Intake for alcohol"}}]}),
            ("DiagnosticReport", {"code": {"text": "Consultation"}, "presentedForm": [TITLED[0]["attachment"]]}),
            ("FamilyMemberHistory", {"condition": [{"code": {"text": "Suicide"}}]}),
            ("FamilyMemberHistory", {"condition": [{"code": {"text": "Illness", **SCHIZOPHRENIA}}]}),
            ("Device", {"type": {"text": "Intrauterine device"}}),
            ("ServiceRequest", {"code": {"text": "HIV 1/2 antibody"}}),
            ("DiagnosticReport", {"code": {"text": "Toxicology"}}),
            ("DiagnosticReport", {"code": {"text": "Ultrasound"}, "conclusion": "Pregnancy of 9 weeks"}),
            ("Observation", {"code": {"coding": [{"system": LOINC, "code": "20447-9"}]}}),
            ("Observation", {"code": {"coding": [{"system": LOINC, "code": "2106-3"}]}}),
            ("Observation", {"code": {"text": "Reason for visit"}, "valueString": "Panic attacks"}),
            ("Observation", {"code": {"text": "Panel"}, "component": [{"code": {"text": "Amphetamines"}}]}),
            ("Observation", {"code": {"text": "Panel"}, "component": [{"code": {"text": "Reason"}, **FOUND}]}),
            ("Observation", {"code": {"text": "Diagnosis"}, "valueCodeableConcept": {"text": "?", **SCHIZOPHRENIA}}),
            ("Observation", {"code": {"text": "Any"}, "category": [{"coding": [{"code": "social-history"}]}]}),
            ("QuestionnaireResponse", {"item": [{"text": "How are you?"}]}),
            ("Condition", {"code": {"text": "Cirrhosis"}, "note": [{"text": "Years of alcohol"}]}),
            ("Condition", {"code": {"text": "Cirrhosis"}, "evidence": [{"code": [{"text": "Alcohol"}]}]}),
            ("Condition", {"code": {"text": "Cirrhosis", "coding": [{"system": ICD_10, "code": "K70.30"}]}}),
        ],
    )  # fmt: skip
    def test_is_any_entry_that_names_it(self, resource_type, sent):
        assert is_sensitive(entry(resource_type, **sent))

    @pytest.mark.parametrize(
        ("resource_type", "sent"),
        [
            (
                "MedicationRequest",
                {"medicationCodeableConcept": {"text": "Methadone"}, "reasonCode": [{"text": "HIV"}]},
            ),
            ("MedicationStatement", {"medicationCodeableConcept": {"text": "Nicotine patch"}}),
            ("AllergyIntolerance", {"code": {"text": "Alcohol"}}),
            ("Immunization", {"vaccineCode": {"text": "HPV vaccine"}}),
            ("Coverage", {"type": {"text": "Mental health policy"}}),
        ],
    )
    def test_is_no_medicine_allergy_vaccine_or_insurance(self, resource_type, sent):
        assert not is_sensitive(entry(resource_type, **sent))

    def test_is_what_its_provider_hides_unless_it_is_a_medicine(self):
        masked = {"extension": [{"url": ABSENT, "valueCode": "masked"}]}
        told = {name: entry(name, **masked) for name in ("Condition", "MedicationRequest")}
        assert all(one.is_withheld for one in told.values())
        assert is_sensitive(told["Condition"])
        assert not is_sensitive(told["MedicationRequest"])

    @pytest.mark.parametrize("sent", [{"code": {"text": "Sodium"}}, {"code": {"text": "Hepatitis B surface antigen"}}])
    def test_is_not_every_result(self, sent):
        assert not is_sensitive(entry("Observation", **sent))

    @pytest.mark.parametrize("kind", presenting.KINDS.values(), ids=lambda kind: kind.__name__)
    def test_is_asked_of_an_empty_entry_of_any_kind(self, kind):
        assert is_sensitive(kind()) is (kind.__name__ == "QuestionnaireEntry")

    def test_is_told_by_our_own_name_of_a_code(self):
        """Which a row says where its provider sent none."""
        told = entry("Condition", code={"coding": [{"system": SNOMED, "code": "26929004"}]})  # Alzheimer's disease
        assert not any(map(sensitive_codes.is_one, told.codes))
        assert is_sensitive(told)

    @pytest.mark.parametrize(
        ("resource_type", "more"),
        [
            ("Observation", FOUND),
            ("Observation", {"component": [{"code": {"text": "Opioids"}}]}),
            ("Observation", {"component": [{"code": {"text": "Second part"}, **FOUND}]}),
            ("Observation", {"component": [{"code": {"coding": SCHIZOPHRENIA["coding"]}}]}),
            ("Condition", {"note": [{"text": "Since the overdose"}]}),
            ("Condition", {"evidence": [{"code": [{"text": "Overdose"}]}]}),
            ("Procedure", {"reasonCode": [{"text": "Overdose"}]}),
        ],
    )
    def test_is_told_of_each_though_another_of_its_name_was_seen_before(self, resource_type, more):
        called = {"code": {"text": "Assessment"}}
        with memoizing():
            assert not is_sensitive(entry(resource_type, **called))
            assert is_sensitive(entry(resource_type, **called, **more))
            assert not is_sensitive(entry(resource_type, **called))

    @given(before=st.text(max_size=20), after=st.text(max_size=20))
    def test_is_found_whatever_stands_around_it(self, before, after):
        assert is_sensitive(Entry(title=f"{before} Miscarriage {after}"))

    @given(system=st.text(max_size=60), code=st.text(max_size=20), display=st.text(max_size=60))
    def test_is_looked_for_in_anything(self, system, code, display):
        assert sensitive_codes.is_one(Code(system, code, display)) in {True, False}
        is_sensitive(Entry(title=display, codes=(Code(system, code, display),)))
