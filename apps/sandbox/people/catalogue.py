"""Tests, drugs, vaccines and other things the stories choose from, with units and adult reference ranges."""

from dataclasses import dataclass

from apps.sandbox.people.codes import Code, cvx, loinc, rxnorm, snomed


@dataclass(frozen=True)
class Test:
    """Something measured as a number: code, unit as shown, UCUM code, digits, category and reference range."""

    code: Code
    unit: str
    ucum: str
    digits: int
    low: float | None = None
    high: float | None = None
    category: str = "laboratory"


HBA1C = Test(loinc("4548-4", "Hemoglobin A1c/Hemoglobin.total in Blood"), "%", "%", 1, 4.0, 5.6)
GLUCOSE = Test(loinc("2345-7", "Glucose [Mass/volume] in Serum or Plasma"), "mg/dL", "mg/dL", 0, 70, 99)
CREATININE = Test(loinc("2160-0", "Creatinine [Mass/volume] in Serum or Plasma"), "mg/dL", "mg/dL", 2, 0.6, 1.2)
EGFR = Test(loinc("33914-3", "Glomerular filtration rate [Volume Rate/Area] in Serum or Plasma"),
            "mL/min/1.73m2", "mL/min/{1.73_m2}", 0, 60)  # fmt: skip
ALBUMIN_RATIO = Test(loinc("9318-7", "Albumin/Creatinine [Mass Ratio] in Urine"), "mg/g", "mg/g", 0, None, 30)
SODIUM = Test(loinc("2951-2", "Sodium [Moles/volume] in Serum or Plasma"), "mmol/L", "mmol/L", 0, 136, 145)
POTASSIUM = Test(loinc("2823-3", "Potassium [Moles/volume] in Serum or Plasma"), "mmol/L", "mmol/L", 1, 3.5, 5.1)
CHOLESTEROL = Test(loinc("2093-3", "Cholesterol [Mass/volume] in Serum or Plasma"), "mg/dL", "mg/dL", 0, None, 199)
LDL = Test(loinc("13457-7", "Cholesterol in LDL [Mass/volume] in Serum or Plasma by calculation"),
           "mg/dL", "mg/dL", 0, None, 99)  # fmt: skip
HDL = Test(loinc("2085-9", "Cholesterol in HDL [Mass/volume] in Serum or Plasma"), "mg/dL", "mg/dL", 0, 40)
TRIGLYCERIDE = Test(loinc("2571-8", "Triglyceride [Mass/volume] in Serum or Plasma"), "mg/dL", "mg/dL", 0, None, 149)
ALT = Test(loinc("1742-6", "Alanine aminotransferase [Enzymatic activity/volume] in Serum or Plasma"),
           "U/L", "U/L", 0, 7, 56)  # fmt: skip
TSH = Test(loinc("3016-3", "Thyrotropin [Units/volume] in Serum or Plasma"), "mIU/L", "m[IU]/L", 2, 0.4, 4.0)
HEMOGLOBIN = Test(loinc("718-7", "Hemoglobin [Mass/volume] in Blood"), "g/dL", "g/dL", 1, 12.0, 16.0)
LEUKOCYTES = Test(loinc("6690-2", "Leukocytes [#/volume] in Blood by Automated count"),
                  "10*3/uL", "10*3/uL", 1, 4.5, 11.0)  # fmt: skip
PLATELETS = Test(loinc("777-3", "Platelets [#/volume] in Blood by Automated count"),
                 "10*3/uL", "10*3/uL", 0, 150, 400)  # fmt: skip
FERRITIN = Test(loinc("2276-4", "Ferritin [Mass/volume] in Serum or Plasma"), "ng/mL", "ng/mL", 0, 15, 150)
INR = Test(loinc("6301-6", "INR in Platelet poor plasma by Coagulation assay"), "{INR}", "{INR}", 1, 2.0, 3.0)

WEIGHT = Test(loinc("29463-7", "Body weight"), "kg", "kg", 1, category="vital-signs")
HEIGHT = Test(loinc("8302-2", "Body height"), "cm", "cm", 1, category="vital-signs")
BMI = Test(loinc("39156-5", "Body mass index (BMI) [Ratio]"), "kg/m2", "kg/m2", 1, category="vital-signs")
HEAD = Test(loinc("9843-4", "Head Occipital-frontal circumference"), "cm", "cm", 1, category="vital-signs")
PULSE = Test(loinc("8867-4", "Heart rate"), "beats/minute", "/min", 0, 60, 100, "vital-signs")
BREATHS = Test(loinc("9279-1", "Respiratory rate"), "breaths/minute", "/min", 0, 12, 20, "vital-signs")
TEMPERATURE = Test(loinc("8310-5", "Body temperature"), "Cel", "Cel", 1, 36.1, 37.5, "vital-signs")
OXYGEN = Test(loinc("59408-5", "Oxygen saturation in Arterial blood by Pulse oximetry"),
              "%", "%", 0, 95, 100, "vital-signs")  # fmt: skip

BLOOD_PRESSURE = loinc("85354-9", "Blood pressure panel with all children optional")
SYSTOLIC = loinc("8480-6", "Systolic blood pressure")
DIASTOLIC = loinc("8462-4", "Diastolic blood pressure")
SMOKING = loinc("72166-2", "Tobacco smoking status")
NEVER_SMOKED = snomed("266919005", "Never smoked tobacco")
FORMER_SMOKER = snomed("8517006", "Ex-smoker")

METABOLIC_PANEL = loinc("51990-0", "Basic metabolic panel - Blood")
LIPID_PANEL = loinc("57698-3", "Lipid panel with direct LDL - Serum or Plasma")
BLOOD_COUNT = loinc("58410-2", "CBC panel - Blood by Automated count")
LABORATORY = Code("http://terminology.hl7.org/CodeSystem/v2-0074", "LAB", "Laboratory")
RADIOLOGY = loinc("LP29684-5", "Radiology")
CARDIOLOGY = loinc("LP29708-2", "Cardiology")
PATHOLOGY = loinc("LP7839-6", "Pathology")

CHECK_UP = snomed("185349003", "Encounter for check up")
SICK_VISIT = snomed("185345009", "Encounter for symptom")
EMERGENCY_VISIT = snomed("50849002", "Emergency room admission")
HOSPITAL_STAY = snomed("32485007", "Hospital admission")
PRENATAL_VISIT = snomed("424441002", "Prenatal initial visit")
WELL_CHILD = snomed("410620009", "Well child visit")
VIDEO_VISIT = snomed("448337001", "Telemedicine consultation with patient")

BLOOD = snomed("119297000", "Blood specimen")
URINE = snomed("122575003", "Urine specimen")
LABORATORY_ORDER = snomed("108252007", "Laboratory procedure")
IMAGING_ORDER = snomed("363679005", "Imaging")

FLU = cvx("150", "influenza, injectable, quadrivalent, preservative free")
COVID = cvx("309", "COVID-19, mRNA, LNP-S, bivalent, PF, 30 mcg/0.3 mL dose")
TDAP = cvx("115", "Tdap")
SHINGLES = cvx("187", "zoster recombinant")
PNEUMOCOCCAL = cvx("216", "Pneumococcal conjugate vaccine 20-valent")
LEFT_ARM = Code("http://terminology.hl7.org/CodeSystem/v3-ActSite", "LA", "left arm")

METFORMIN = rxnorm("861007", "metformin hydrochloride 500 MG Oral Tablet")
EMPAGLIFLOZIN = rxnorm("1545658", "empagliflozin 10 MG Oral Tablet")
LISINOPRIL = rxnorm("314076", "lisinopril 10 MG Oral Tablet")
ATORVASTATIN = rxnorm("617310", "atorvastatin 20 MG Oral Tablet")
ASPIRIN = rxnorm("243670", "aspirin 81 MG Oral Tablet")
WARFARIN = rxnorm("855332", "warfarin sodium 5 MG Oral Tablet")
METOPROLOL = rxnorm("866427", "metoprolol succinate 25 MG Extended Release Oral Tablet")
ALBUTEROL = rxnorm("745679", "albuterol 0.09 MG/ACTUAT Metered Dose Inhaler")
EPINEPHRINE = rxnorm("1870230", "epinephrine 0.3 MG in 0.3 ML Auto-Injector")
AZITHROMYCIN = rxnorm("248656", "azithromycin 500 MG Oral Tablet")
AMOXICILLIN = rxnorm("308182", "amoxicillin 250 MG Oral Capsule")
PRENATAL_VITAMINS = rxnorm("1147483", "prenatal multivitamin Oral Tablet")
VITAMIN_D = rxnorm("316965", "cholecalciferol 1000 UNT Oral Tablet")
IBUPROFEN = rxnorm("310965", "ibuprofen 200 MG Oral Tablet")

ENGLISH = Code("urn:ietf:bcp:47", "en-US", "English (United States)")
SPANISH = Code("urn:ietf:bcp:47", "es-US", "Spanish (United States)")
_OMB = "urn:oid:2.16.840.1.113883.6.238"
WHITE = Code(_OMB, "2106-3", "White")
BLACK = Code(_OMB, "2054-5", "Black or African American")
ASIAN = Code(_OMB, "2028-9", "Asian")
HISPANIC = Code(_OMB, "2135-2", "Hispanic or Latino")
NOT_HISPANIC = Code(_OMB, "2186-5", "Not Hispanic or Latino")
MARRIED = Code("http://terminology.hl7.org/CodeSystem/v3-MaritalStatus", "M", "Married")
WIDOWED = Code("http://terminology.hl7.org/CodeSystem/v3-MaritalStatus", "W", "Widowed")
SINGLE = Code("http://terminology.hl7.org/CodeSystem/v3-MaritalStatus", "S", "Never Married")
