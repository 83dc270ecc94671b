"""What common tests and vital signs are called in plain words, by their LOINC code.

Codes are of LOINC (https://loinc.org; (c) Regenstrief Institute, used under its license). A name is ours and says what
is measured, never what it means for anybody. A code that we are not sure of is not here: then the provider's words
stand alone. `terms` are what laboratories write for the same thing, for search.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.entry import Code

_LOINC = frozenset({"http://loinc.org", "urn:oid:2.16.840.1.113883.6.1", "https://loinc.org", "http://www.loinc.org"})


@dataclass(frozen=True)
class PlainName:
    """One thing that is measured. `words` are translated when shown; `key` is the same in every language."""

    key: str
    words: Promise
    terms: tuple[str, ...] = ()
    loinc: tuple[str, ...] = ()


def is_loinc(code: Code) -> bool:
    """Whether the coding is of LOINC, in any of the ways its system is written."""
    return code.system.rstrip("/") in _LOINC


def is_known(code: str) -> bool:
    """Whether there is a name for this LOINC code."""
    return code in _BY_CODE


def of(codes: Iterable[Code]) -> PlainName | None:
    """The name for what these codings mean; None where we know none, or where two of them mean different things."""
    found = {_BY_CODE[code.code].key: _BY_CODE[code.code] for code in codes if is_loinc(code) and code.code in _BY_CODE}
    return next(iter(found.values())) if len(found) == 1 else None


def of_test(test: str) -> PlainName | None:
    """The name for what results are compared under (`ResultEntry.test`)."""
    system, _, code = test.partition(":")
    return _BY_CODE.get(code) if system == "loinc" else None


def meant_by(words: str) -> tuple[PlainName, ...]:
    """The names that a person may mean by a word: those of which the words or a term contain it, whatever its case. By
    one letter nobody means any."""
    wanted = " ".join(words.casefold().split())
    if len(wanted) <= 1:
        return ()
    return tuple(name for name in NAMES if any(wanted in said.casefold() for said in (str(name.words), *name.terms)))


NAMES: tuple[PlainName, ...] = (
    # Vital signs
    PlainName("blood-pressure", _("Blood pressure"), ("BP",), ("85354-9", "55284-4", "35094-2")),
    PlainName("systolic", _("Blood pressure, upper number"), ("systolic", "SBP"), ("8480-6",)),
    PlainName("diastolic", _("Blood pressure, lower number"), ("diastolic", "DBP"), ("8462-4",)),
    PlainName("mean-pressure", _("Blood pressure, mean"), ("MAP",), ("8478-0",)),
    PlainName("heart-rate", _("Heart rate"), ("pulse", "HR"), ("8867-4",)),
    PlainName("oxygen", _("Oxygen level"), ("SpO2", "oxygen saturation", "pulse oximetry"), ("59408-5", "2708-6")),
    PlainName("temperature", _("Temperature"), ("body temperature", "oral temperature"), ("8310-5", "8331-1")),
    PlainName("breathing-rate", _("Breathing rate"), ("respiratory rate", "RR"), ("9279-1",)),
    PlainName("weight", _("Weight"), ("body weight",), ("29463-7", "3141-9", "3142-7")),
    PlainName("height", _("Height"), ("body height", "length"), ("8302-2", "8306-3", "8308-9")),
    PlainName("bmi", _("Body mass index (BMI)"), ("BMI",), ("39156-5",)),
    PlainName("bmi-percentile", _("Body mass index for age"), ("BMI percentile",), ("59576-9",)),
    PlainName("weight-for-length", _("Weight for length"), ("weight-for-length percentile",), ("77606-2",)),
    PlainName("head-size", _("Head size"), ("head circumference", "OFC"), ("9843-4", "8287-5")),
    PlainName("head-percentile", _("Head size for age"), ("head circumference percentile",), ("8289-1",)),
    PlainName("waist", _("Waist size"), ("waist circumference",), ("8280-0", "56086-2")),
    PlainName("pain", _("Pain"), ("pain severity", "pain score"), ("72514-3", "38208-5")),
    # Sugar
    PlainName(
        "a1c", _("Average blood sugar, 3 months"), ("hemoglobin A1c", "HbA1c", "A1c", "glycated hemoglobin"),
        ("4548-4", "17856-6", "59261-8", "4549-2"),
    ),
    PlainName(
        "glucose", _("Blood sugar"), ("glucose", "GLU"),
        ("2345-7", "2339-0", "15074-8", "14749-6", "41653-7", "2340-8"),
    ),
    PlainName("fasting-glucose", _("Blood sugar, fasting"), ("fasting glucose", "FBS"), ("1558-6", "1557-8")),
    PlainName("fasting-glucose-by-meter", _("Blood sugar, fasting, by meter"), ("fasting glucose",), ("41604-0",)),
    PlainName("glucose-after-1-hour", _("Blood sugar, one hour after a sugar drink"), ("glucose",), ("1504-0",)),
    PlainName("glucose-after-2-hours", _("Blood sugar, two hours after a sugar drink"), ("glucose",), ("1518-0",)),
    PlainName("insulin", _("Insulin in blood"), ("insulin",), ("20448-7",)),
    PlainName("c-peptide", _("C-peptide, made along with insulin"), (), ("1986-9",)),
    # Fats
    PlainName("lipids", _("Cholesterol tests"), ("lipid panel", "lipids"), ("24331-1", "57698-3")),
    PlainName("cholesterol", _("Total cholesterol"), ("cholesterol",), ("2093-3", "14647-2", "35200-5")),
    PlainName("ldl", _("LDL cholesterol"), ("low density lipoprotein",), ("13457-7", "18262-6", "2089-1", "22748-8")),
    PlainName("hdl", _("HDL cholesterol"), ("high density lipoprotein", "HDL"), ("2085-9", "14646-4")),
    PlainName("non-hdl", _("Cholesterol other than HDL"), ("non-HDL cholesterol",), ("43396-1",)),
    PlainName("cholesterol-ratio", _("Total cholesterol compared with HDL"), ("cholesterol/HDL ratio",), ("9830-1",)),
    PlainName("triglycerides", _("Blood fats"), ("triglycerides", "TRIG"), ("2571-8", "14927-8", "35217-9")),
    PlainName("vldl", _("VLDL cholesterol"), ("very low density lipoprotein",), ("13458-5",)),
    PlainName("apolipoprotein-b", _("Apolipoprotein B, carries cholesterol"), ("ApoB",), ("1884-6",)),
    PlainName("lipoprotein-a", _("Lipoprotein (a), carries cholesterol"), ("lipoprotein a", "Lp(a)"), ("10835-7",)),
    # Blood count
    PlainName("blood-count", _("Complete blood count"), ("CBC", "hemogram"), ("58410-2", "57021-8")),
    PlainName(
        "white-cells", _("White blood cells, fight infection"), ("WBC", "leukocytes"), ("6690-2", "26464-8"),
    ),
    PlainName("red-cells", _("Red blood cells"), ("RBC", "erythrocytes"), ("789-8", "26453-1")),
    PlainName("hemoglobin", _("Oxygen carrier in blood"), ("hemoglobin", "HGB", "Hb"), ("718-7",)),
    PlainName("hematocrit", _("Share of red cells"), ("hematocrit", "HCT"), ("4544-3", "20570-8")),
    PlainName("red-cell-size", _("Size of red blood cells"), ("MCV",), ("787-2",)),
    PlainName("red-cell-hemoglobin", _("Hemoglobin in each red blood cell"), ("MCH",), ("785-6",)),
    PlainName("red-cell-density", _("Share of hemoglobin in red blood cells"), ("MCHC",), ("786-4",)),
    PlainName(
        "red-cell-variation", _("How much red blood cells differ in size"), ("RDW",), ("788-0", "21000-5", "30385-9"),
    ),
    PlainName("platelets", _("Clotting cells"), ("platelets", "PLT"), ("777-3", "26515-7")),
    PlainName("platelet-size", _("Size of clotting cells"), ("MPV", "mean platelet volume"), ("32623-1",)),
    PlainName("platelet-variation", _("How much clotting cells differ in size"), ("PDW",), ("32207-3",)),
    PlainName("neutrophils", _("Neutrophils, a kind of white blood cell"), ("NEUT",), ("751-8", "26499-4")),
    PlainName(
        "neutrophil-share", _("Neutrophils, share of white blood cells"), ("NEUT%",),
        ("770-8", "26511-6", "23761-0"),
    ),
    PlainName("lymphocytes", _("Lymphocytes, a kind of white blood cell"), ("LYMPH",), ("731-0", "26474-7")),
    PlainName(
        "lymphocyte-share", _("Lymphocytes, share of white blood cells"), ("LYMPH%",),
        ("736-9", "26478-8", "737-7"),
    ),
    PlainName("monocytes", _("Monocytes, a kind of white blood cell"), ("MONO",), ("742-7", "26484-6")),
    PlainName("monocyte-share", _("Monocytes, share of white blood cells"), ("MONO%",), ("5905-5", "26485-3", "744-3")),
    PlainName("eosinophils", _("Eosinophils, a kind of white blood cell"), ("EOS",), ("711-2", "26449-9")),
    PlainName(
        "eosinophil-share", _("Eosinophils, share of white blood cells"), ("EOS%",),
        ("713-8", "26450-7", "714-6"),
    ),
    PlainName("basophils", _("Basophils, a kind of white blood cell"), ("BASO",), ("704-7", "26444-0")),
    PlainName("basophil-share", _("Basophils, share of white blood cells"), ("BASO%",), ("706-2", "30180-4", "707-0")),
    PlainName("band-share", _("Young neutrophils, share of white blood cells"), ("bands",), ("764-1",)),
    PlainName("young-white-cells", _("Young white blood cells"), ("immature granulocytes",), ("53115-2",)),
    PlainName("young-white-share", _("Young white blood cells, share"), ("immature granulocytes",), ("71695-1",)),
    PlainName("young-red-share", _("Young red blood cells, share"), ("reticulocytes",), ("17849-1",)),
    PlainName("red-cells-with-nucleus", _("Red blood cells with a nucleus"), ("nucleated RBC", "NRBC"), ("771-6",)),
    # Salts and chemistry
    PlainName("basic-chemistry", _("Basic body chemistry"), ("basic metabolic panel", "BMP"), ("51990-0", "24321-2")),
    PlainName("full-chemistry", _("Full body chemistry"), ("comprehensive metabolic panel", "CMP"), ("24323-8",)),
    PlainName("salts", _("Blood salts"), ("electrolytes",), ("24326-1",)),
    PlainName("sodium", _("Sodium, a blood salt"), ("sodium", "Na"), ("2951-2", "2947-0")),
    PlainName("potassium", _("Potassium, a blood salt"), ("potassium", "K"), ("2823-3", "6298-4")),
    PlainName("chloride", _("Chloride, a blood salt"), ("chloride", "Cl"), ("2075-0", "2069-3")),
    PlainName("carbon-dioxide", _("Carbon dioxide in blood"), ("CO2", "carbon dioxide"), ("2028-9", "20565-8")),
    PlainName("bicarbonate", _("Bicarbonate in blood"), ("bicarbonate", "HCO3"), ("1963-8",)),
    PlainName("anion-gap", _("Balance of blood salts"), ("anion gap",), ("33037-3",)),
    PlainName("calcium", _("Calcium in blood"), ("calcium", "Ca"), ("17861-6", "49765-1")),
    PlainName("magnesium", _("Magnesium in blood"), ("magnesium", "Mg"), ("19123-9",)),
    PlainName("phosphate", _("Phosphate in blood"), ("phosphate", "phosphorus"), ("2777-1",)),
    PlainName("protein", _("Protein in blood"), ("total protein",), ("2885-2",)),
    PlainName("albumin", _("Albumin, a blood protein"), ("albumin", "ALB"), ("1751-7",)),
    PlainName("globulin", _("Globulin, a blood protein"), ("globulin",), ("10834-0",)),
    PlainName("uric-acid", _("Uric acid in blood"), ("uric acid", "urate"), ("3084-1",)),
    PlainName("free-calcium", _("Calcium in blood, free"), ("ionized calcium",), ("1995-0", "12180-6")),
    PlainName("osmolality", _("How concentrated blood is"), ("osmolality",), ("2692-2",)),
    PlainName("lactate", _("Lactate in blood"), ("lactic acid",), ("2524-7",)),
    PlainName("zinc", _("Zinc in blood"), (), ("5763-8",)),
    PlainName("lead", _("Lead in blood"), (), ("5671-3", "10368-9")),
    # Kidneys
    PlainName("creatinine", _("Kidney waste marker"), ("creatinine", "CREAT"), ("2160-0", "38483-4", "14682-9")),
    PlainName("urea", _("Urea nitrogen, a kidney waste marker"), ("BUN", "urea nitrogen"), ("3094-0", "6299-2")),
    PlainName("urea-ratio", _("Urea nitrogen compared with creatinine"), ("BUN/creatinine ratio",), ("3097-3",)),
    PlainName(
        "filtering", _("Kidney filtering rate"), ("eGFR", "glomerular filtration rate", "GFR"),
        ("33914-3", "62238-1", "98979-8", "48642-3", "48643-1", "69405-9", "77147-7"),
    ),
    PlainName(
        "urine-albumin", _("Albumin in urine compared with creatinine"), ("microalbumin creatinine ratio", "ACR"),
        ("9318-7", "14959-1", "32294-1"),
    ),
    PlainName("urine-albumin-alone", _("Albumin in urine"), ("microalbumin",), ("14957-5",)),
    PlainName("urine-creatinine", _("Creatinine in urine"), (), ("2161-8",)),
    # Liver and pancreas
    PlainName("liver", _("Liver tests"), ("hepatic function panel", "LFT"), ("24325-3",)),
    PlainName("alt", _("Liver enzyme ALT"), ("ALT", "alanine aminotransferase", "SGPT"), ("1742-6",)),
    PlainName("ast", _("Liver enzyme AST"), ("AST", "aspartate aminotransferase", "SGOT"), ("1920-8",)),
    PlainName("alp", _("Liver and bone enzyme ALP"), ("ALP", "alkaline phosphatase"), ("6768-6",)),
    PlainName("ggt", _("Liver enzyme GGT"), ("GGT", "gamma glutamyl transferase"), ("2324-2",)),
    PlainName("bilirubin", _("Bilirubin in blood"), ("total bilirubin", "BILI"), ("1975-2",)),
    PlainName("direct-bilirubin", _("Bilirubin in blood, direct"), ("direct bilirubin",), ("1968-7",)),
    PlainName("indirect-bilirubin", _("Bilirubin in blood, indirect"), ("indirect bilirubin",), ("1971-1",)),
    PlainName("albumin-ratio", _("Albumin compared with globulin"), ("A/G ratio",), ("1759-0",)),
    PlainName("ammonia", _("Ammonia in blood"), ("ammonia",), ("16362-6",)),
    PlainName("lipase", _("Pancreas enzyme lipase"), ("lipase",), ("3040-3",)),
    PlainName("amylase", _("Pancreas enzyme amylase"), ("amylase",), ("1798-8",)),
    PlainName("ldh", _("Tissue enzyme LDH"), ("LDH", "lactate dehydrogenase"), ("2532-0", "14804-9")),
    # Thyroid and other hormones
    PlainName("tsh", _("Thyroid control hormone"), ("TSH", "thyrotropin"), ("3016-3", "11580-8")),
    PlainName("free-t4", _("Thyroid hormone T4, free"), ("free T4", "FT4"), ("3024-7",)),
    PlainName("t4", _("Thyroid hormone T4"), ("thyroxine",), ("3026-2",)),
    PlainName("free-t3", _("Thyroid hormone T3, free"), ("free T3", "FT3"), ("3051-0",)),
    PlainName("t3", _("Thyroid hormone T3"), ("triiodothyronine",), ("3053-6",)),
    PlainName("thyroid-antibodies", _("Thyroid antibodies (TPO)"), ("thyroid peroxidase antibody",), ("8099-4",)),
    PlainName("thyroglobulin", _("Thyroglobulin, a protein of the thyroid"), (), ("3013-0",)),
    PlainName("parathyroid", _("Parathyroid hormone, steers calcium"), ("PTH",), ("2731-8",)),
    PlainName("cortisol", _("Cortisol, a stress hormone"), (), ("2143-6",)),
    PlainName("lh", _("LH, a hormone for fertility"), ("luteinizing hormone", "lutropin"), ("10501-5",)),
    PlainName("fsh", _("FSH, a hormone for fertility"), ("follicle stimulating hormone", "follitropin"), ("15067-2",)),
    PlainName("estradiol", _("Estradiol, a hormone"), (), ("2243-4",)),
    PlainName("progesterone", _("Progesterone, a hormone"), (), ("2839-9",)),
    PlainName("testosterone", _("Testosterone, a hormone"), ("testosterone",), ("2986-8",)),
    PlainName("free-testosterone", _("Testosterone, free"), ("free testosterone",), ("2991-8",)),
    PlainName("sex-hormone-carrier", _("Carrier of sex hormones"), ("SHBG",), ("13967-5",)),
    PlainName("prolactin", _("Prolactin, a hormone"), ("prolactin",), ("2842-3",)),
    PlainName("pregnancy-hormone", _("Pregnancy hormone"), ("hCG", "pregnancy test"), ("19080-1", "2118-8", "2106-3")),
    # Iron and vitamins
    PlainName("ferritin", _("Iron store"), ("ferritin",), ("2276-4",)),
    PlainName("iron", _("Iron in blood"), ("iron", "Fe"), ("2498-4",)),
    PlainName("iron-binding", _("Room for iron in blood"), ("TIBC", "iron binding capacity"), ("2500-7",)),
    PlainName("iron-saturation", _("Share of iron carriers in use"), ("iron saturation",), ("2502-3",)),
    PlainName("iron-carrier", _("Iron carrier"), ("transferrin",), ("3034-6",)),
    PlainName("vitamin-d", _("Vitamin D level"), ("25-hydroxy vitamin D", "25-OH"), ("1989-3", "62292-8")),
    PlainName("vitamin-b12", _("Vitamin B12 level"), ("vitamin B12", "cobalamin"), ("2132-9",)),
    PlainName("folate", _("Folic acid level"), ("folate", "folic acid"), ("2284-8",)),
    # Clotting, inflammation, heart
    PlainName("inr", _("Clotting time, compared"), ("INR",), ("6301-6", "34714-6")),
    PlainName("clotting-time", _("Clotting time"), ("PT", "prothrombin time"), ("5902-2",)),
    PlainName("partial-clotting-time", _("Clotting time, second test"), ("aPTT", "PTT"), ("14979-9", "3173-2")),
    PlainName("fibrinogen", _("Fibrinogen, helps blood to clot"), (), ("3255-7",)),
    PlainName("d-dimer", _("D-dimer, left when a clot dissolves"), ("D dimer",), ("48065-7", "48066-5")),
    PlainName("crp", _("Inflammation marker CRP"), ("CRP", "C reactive protein"), ("1988-5", "30522-7")),
    PlainName("esr", _("Inflammation marker ESR"), ("ESR", "sedimentation rate"), ("4537-7", "30341-2")),
    PlainName("procalcitonin", _("Infection marker procalcitonin"), ("PCT",), ("33959-8",)),
    PlainName("rheumatoid-factor", _("Rheumatoid factor, an antibody"), ("RF",), ("11572-5",)),
    PlainName("ana", _("Antibodies to cells of one's own (ANA)"), ("antinuclear antibody",), ("8061-4", "5048-4")),
    PlainName(
        "troponin", _("Heart muscle marker"), ("troponin",), ("10839-9", "6598-7", "89579-7", "67151-1"),
    ),
    PlainName("bnp", _("Heart strain marker"), ("BNP", "NT-proBNP"), ("30934-4", "33762-6")),
    PlainName("creatine-kinase", _("Muscle enzyme CK"), ("creatine kinase", "CK", "CPK"), ("2157-6",)),
    PlainName("psa", _("Prostate marker"), ("PSA", "prostate specific antigen"), ("2857-1",)),
    # Urine
    PlainName("urine", _("Urine test"), ("urinalysis", "UA"), ("24356-8", "24357-6")),
    PlainName("urine-color", _("Color of urine"), (), ("5778-6",)),
    PlainName("urine-look", _("Look of urine"), ("appearance of urine", "clarity"), ("5767-9", "32167-9")),
    PlainName("urine-density", _("Density of urine"), ("specific gravity",), ("5811-5", "2965-2")),
    PlainName("urine-acidity", _("Acidity of urine"), ("pH of urine",), ("5803-2", "2756-5")),
    PlainName("urine-sugar", _("Sugar in urine"), ("glucose in urine",), ("25428-4", "5792-7")),
    PlainName("urine-protein", _("Protein in urine"), (), ("20454-5", "5804-0")),
    PlainName("urine-ketones", _("Ketones in urine"), (), ("2514-8", "5797-6")),
    PlainName("urine-bilirubin", _("Bilirubin in urine"), (), ("5770-3", "20505-4")),
    PlainName("urine-blood", _("Blood in urine"), ("hemoglobin in urine",), ("5794-3",)),
    PlainName("urine-nitrite", _("Nitrite in urine, a sign of germs"), ("nitrite",), ("5802-4",)),
    PlainName(
        "urine-white-cells", _("White blood cells in urine"), ("leukocyte esterase",), ("5799-2", "5821-4"),
    ),
    PlainName("urine-red-cells", _("Red blood cells in urine"), (), ("13945-1",)),
    PlainName("urine-lining-cells", _("Lining cells in urine"), ("epithelial cells",), ("5787-7", "11277-1")),
    PlainName("urine-bacteria", _("Bacteria in urine"), (), ("25145-4",)),
    PlainName("urine-urobilinogen", _("Urobilinogen in urine"), (), ("20405-7", "5818-0")),
    # Breath
    PlainName("peak-flow", _("Peak flow, how fast you breathe out"), ("PEF", "peak expiratory flow"), ("19935-6",)),
    PlainName("fev1", _("Air breathed out in one second"), ("FEV1",), ("20150-9",)),
    PlainName("fvc", _("Air breathed out in one breath"), ("FVC", "forced vital capacity"), ("19870-5",)),
    PlainName("fev1-share", _("Share of a breath that is out in one second"), ("FEV1/FVC",), ("19926-5",)),
    # Pregnancy
    PlainName("pregnancy-length", _("Length of the pregnancy"), ("gestational age",), ("18185-9", "11884-4")),
    PlainName("womb-height", _("Height of the womb"), ("fundal height",), ("11881-0",)),
    # Germs and others
    PlainName("urine-culture", _("Germ test of urine"), ("urine culture",), ("630-4",)),
    PlainName("blood-culture", _("Germ test of blood"), ("blood culture",), ("600-7",)),
    PlainName("covid", _("COVID-19 test"), ("SARS-CoV-2", "coronavirus"), ("94500-6", "94309-2", "94558-4")),
    PlainName("hiv", _("HIV test"), ("HIV antigen and antibody",), ("56888-1",)),
    PlainName("hepatitis-b", _("Hepatitis B test"), ("HBsAg", "hepatitis B surface antigen"), ("5195-3", "5196-1")),
    PlainName("hepatitis-c", _("Hepatitis C test"), ("HCV antibody",), ("16128-1", "13955-0")),
    PlainName("stool-blood", _("Hidden blood in stool"), ("FIT", "occult blood"), ("57905-2", "29771-3")),
    PlainName("blood-group", _("Blood group"), ("ABO and Rh", "blood type"), ("882-1", "883-9", "10331-7")),
)  # fmt: skip

_BY_CODE = {code: name for name in NAMES for code in name.loinc}
