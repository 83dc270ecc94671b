"""Common health conditions, by their codes in SNOMED CT and ICD-10.

The codes are from SNOMED CT ((c) SNOMED International) and ICD-10-CM (CDC); the names are ours. Codes that say more
than the name, such as the side of the body or the severity, are left out: the provider's words are more exact.
"""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.plain_names.name import PlainName


def _condition(key: str, words: Promise, snomed: str, icd10: str = "", *terms: str) -> PlainName:
    return PlainName(key, words, terms, snomed=tuple(snomed.split()), icd10=tuple(icd10.split()))


CONDITIONS: Final[tuple[PlainName, ...]] = (
    # Heart and blood vessels
    _condition("high-blood-pressure", _("High blood pressure"), "38341003 59621000", "I10", "hypertension", "HTN"),
    _condition("low-blood-pressure", _("Low blood pressure"), "45007003", "I95.9", "hypotension"),
    _condition(
        "atrial-fibrillation", _("Irregular heartbeat (atrial fibrillation)"), "49436004", "I48.91", "AFib", "AF"
    ),
    _condition(
        "coronary-disease",
        _("Narrowed heart arteries"),
        "53741008",
        "I25.10",
        "coronary artery disease",
        "CAD",
    ),
    _condition(
        "ischemic-heart",
        _("Too little blood to the heart muscle"),
        "414545008",
        "I25.9",
        "ischemic heart disease",
    ),
    _condition(
        "heart-failure",
        _("Heart that pumps too little (heart failure)"),
        "84114007 42343007",
        "I50.9",
        "CHF",
        "congestive heart failure",
    ),
    _condition("heart-attack", _("Heart attack"), "22298006", "I21.9", "myocardial infarction", "MI"),
    _condition(
        "past-heart-attack", _("Heart attack in the past"), "399211009 1755008", "I25.2", "old myocardial infarction"
    ),
    _condition("stroke", _("Stroke"), "230690007", "I64", "cerebrovascular accident", "CVA"),
    _condition(
        "ischemic-stroke",
        _("Stroke, too little blood for a part of the brain"),
        "422504002 432504007",
        "I63.9",
        "cerebral infarction",
        "ischemic stroke",
    ),
    _condition(
        "passing-stroke", _("Passing signs of a stroke (TIA)"), "266257000", "G45.9", "transient ischemic attack"
    ),
    _condition("leg-clot", _("Blood clot in a deep vein"), "128053003", "", "deep vein thrombosis", "DVT"),
    _condition("lung-clot", _("Blood clot in the lungs"), "59282003", "I26.99", "pulmonary embolism", "PE"),
    _condition(
        "narrowed-limb-arteries",
        _("Narrowed blood vessels of the legs or arms"),
        "400047006",
        "I73.9",
        "peripheral vascular disease",
        "PAD",
        "PVD",
    ),
    # Sugar, fats, glands, nutrition
    _condition("diabetes", _("Diabetes"), "73211009", "", "diabetes mellitus", "DM"),
    _condition("type-1-diabetes", _("Type 1 diabetes"), "46635009", "E10.9", "insulin dependent diabetes"),
    _condition("type-2-diabetes", _("Type 2 diabetes"), "44054006", "E11.9", "T2DM"),
    _condition("prediabetes", _("Blood sugar above usual (prediabetes)"), "15777000 714628002", "R73.03"),
    _condition("high-cholesterol", _("High cholesterol"), "13644009", "E78.00", "hypercholesterolemia"),
    _condition("high-fats", _("High fats in the blood"), "55822004", "E78.5", "hyperlipidemia", "HLD"),
    _condition(
        "high-triglycerides", _("High triglycerides, a fat in blood"), "302870006", "E78.1", "hypertriglyceridemia"
    ),
    _condition(
        "high-cholesterol-and-triglycerides",
        _("High cholesterol and triglycerides"),
        "267434003",
        "E78.2",
        "mixed hyperlipidemia",
    ),
    _condition("underactive-thyroid", _("Underactive thyroid"), "40930008", "E03.9", "hypothyroidism"),
    _condition("overactive-thyroid", _("Overactive thyroid"), "34486009", "E05.90", "hyperthyroidism"),
    _condition("low-vitamin-d", _("Too little vitamin D"), "34713006", "E55.9", "vitamin D deficiency"),
    _condition("anemia", _("Anemia, too little hemoglobin"), "271737000", "D64.9"),
    _condition("iron-anemia", _("Anemia from too little iron"), "87522002", "D50.9", "iron deficiency anemia", "IDA"),
    _condition("low-potassium", _("Too little potassium in blood"), "43339004", "E87.6", "hypokalemia"),
    _condition("low-sodium", _("Too little sodium in blood"), "89627008", "E87.1", "hyponatremia"),
    _condition("gout", _("Gout"), "90560007", "M10.9"),
    # Airways and lungs
    _condition("asthma", _("Asthma"), "195967001", "J45.909 J45.9"),
    _condition(
        "copd",
        _("Long-term narrowing of the airways (COPD)"),
        "13645005",
        "J44.9",
        "chronic obstructive pulmonary disease",
    ),
    _condition("allergic-nose", _("Runny nose from an allergy"), "61582004", "J30.9", "allergic rhinitis"),
    _condition("hay-fever", _("Hay fever"), "21719001", "J30.1", "allergic rhinitis caused by pollen"),
    _condition(
        "seasonal-allergic-nose",
        _("Seasonal runny nose from an allergy"),
        "367498001",
        "J30.2",
        "seasonal allergic rhinitis",
        "hay fever",
    ),
    _condition("sleep-apnea", _("Pauses in breathing during sleep (sleep apnea)"), "73430006", "G47.30"),
    _condition(
        "obstructive-sleep-apnea",
        _("Pauses in breathing during sleep, throat closing (sleep apnea)"),
        "78275009",
        "G47.33",
        "obstructive sleep apnea",
        "OSA",
    ),
    _condition("pneumonia", _("Infection of the lungs (pneumonia)"), "233604007", "J18.9"),
    _condition("bronchitis", _("Infection of the airways (acute bronchitis)"), "10509002", "J20.9"),
    _condition("cold", _("Common cold"), "82272006", "J00", "nasopharyngitis"),
    _condition("flu", _("Flu"), "6142004", "J11.1", "influenza"),
    _condition("covid-19", _("COVID-19"), "840539006", "U07.1", "SARS-CoV-2", "coronavirus disease"),
    _condition("viral-sinusitis", _("Sinus infection from a virus"), "444814009", "", "viral sinusitis"),
    _condition(
        "chronic-sinusitis", _("Long-term inflammation of the sinuses"), "40055000", "J32.9", "chronic sinusitis"
    ),
    _condition("strep-throat", _("Strep throat"), "43878008", "J02.0", "streptococcal pharyngitis"),
    _condition("viral-sore-throat", _("Sore throat from a virus"), "195662009", "", "viral pharyngitis"),
    _condition(
        "ear-infection", _("Inflammation of the middle ear"), "65363002", "H66.90", "otitis media", "ear infection"
    ),
    # Stomach, gut, liver
    _condition("acid-reflux", _("Acid reflux"), "235595009", "K21.9", "GERD", "gastroesophageal reflux disease"),
    _condition("gastritis", _("Inflamed lining of the stomach"), "4556007", "K29.70", "gastritis"),
    _condition("irritable-bowel", _("Irritable bowel"), "10743008", "K58.9", "irritable bowel syndrome", "IBS"),
    _condition("constipation", _("Constipation"), "14760008", "K59.00"),
    _condition("celiac", _("Gluten illness (celiac disease)"), "396331005", "K90.0"),
    _condition("crohn", _("Crohn's disease, inflammation of the gut"), "34000006", "K50.90"),
    _condition("ulcerative-colitis", _("Inflammation of the large gut (ulcerative colitis)"), "64766004", "K51.90"),
    _condition("hemorrhoids", _("Swollen veins in or around the anus (hemorrhoids)"), "70153002", "K64.9", "piles"),
    _condition("gallstones", _("Gallstones"), "235919008", "K80.20", "cholelithiasis"),
    _condition("fatty-liver", _("Fat in the liver"), "197321007", "K76.0", "fatty liver", "hepatic steatosis"),
    _condition("cirrhosis", _("Scarred liver (cirrhosis)"), "19943007", "K74.60"),
    _condition("appendicitis", _("Inflamed appendix"), "74400008", "K37", "appendicitis"),
    # Kidneys and urine
    _condition("kidney-disease", _("Long-term kidney disease"), "709044004", "N18.9", "chronic kidney disease", "CKD"),
    _condition(
        "kidney-disease-3",
        _("Long-term kidney disease, stage 3"),
        "433144002",
        "N18.30",
        "chronic kidney disease",
        "CKD",
    ),
    _condition(
        "urine-infection", _("Infection of the urinary tract"), "68566005", "N39.0", "urinary tract infection", "UTI"
    ),
    _condition("kidney-stone", _("Kidney stone"), "95570007", "N20.0", "nephrolithiasis", "renal calculus"),
    _condition("large-prostate", _("Enlarged prostate"), "266569009", "N40.0", "benign prostatic hyperplasia", "BPH"),
    # Mind and nerves
    _condition("depression", _("Depression"), "35489007", "F32.A F32.9", "depressive disorder"),
    _condition("anxiety", _("Anxiety"), "197480006", "F41.9", "anxiety disorder"),
    _condition("lasting-anxiety", _("Long-term anxiety"), "21897009", "F41.1", "generalized anxiety disorder", "GAD"),
    _condition(
        "attention-deficit",
        _("Trouble with attention (ADHD)"),
        "406506008",
        "F90.9",
        "attention deficit hyperactivity disorder",
    ),
    _condition("insomnia", _("Trouble sleeping"), "193462001", "G47.00", "insomnia"),
    _condition("migraine", _("Migraine"), "37796009", "G43.909"),
    _condition("epilepsy", _("Epilepsy"), "84757009", "G40.909", "seizure disorder"),
    _condition("dementia", _("Dementia"), "52448006", "F03.90"),
    _condition("alzheimer", _("Alzheimer's disease"), "26929004", "G30.9"),
    _condition("parkinson", _("Parkinson's disease"), "49049000", "G20"),
    _condition("multiple-sclerosis", _("Multiple sclerosis"), "24700007", "G35", "MS"),
    _condition("carpal-tunnel", _("Pinched nerve at the wrist (carpal tunnel)"), "57406009", "G56.00"),
    _condition("concussion", _("Concussion"), "110030002"),
    # Bones, joints, muscles
    _condition("osteoarthritis", _("Worn joints (osteoarthritis)"), "396275006", "M19.90"),
    _condition(
        "knee-osteoarthritis", _("Worn knee joint (osteoarthritis)"), "239873007", "M17.9", "osteoarthritis of knee"
    ),
    _condition(
        "hip-osteoarthritis", _("Worn hip joint (osteoarthritis)"), "239872002", "M16.9", "osteoarthritis of hip"
    ),
    _condition("rheumatoid-arthritis", _("Inflamed joints (rheumatoid arthritis)"), "69896004", "M06.9", "RA"),
    _condition("osteoporosis", _("Thin bones (osteoporosis)"), "64859006", "M81.0"),
    _condition("low-back-pain", _("Low back pain"), "279039007", "M54.50 M54.5", "lumbago"),
    _condition("back-pain", _("Back pain"), "161891005", "M54.9", "backache"),
    _condition("fibromyalgia", _("Long-term pain all over (fibromyalgia)"), "203082005", "M79.7"),
    # Skin and eyes
    _condition("eczema", _("Eczema"), "43116000", "L30.9"),
    _condition("atopic-eczema", _("Atopic eczema, an itchy rash"), "24079001", "L20.9", "atopic dermatitis"),
    _condition("contact-rash", _("Rash from touching something"), "40275004", "L25.9", "contact dermatitis"),
    _condition("hives", _("Hives"), "126485001", "L50.9", "urticaria"),
    _condition("psoriasis", _("Psoriasis"), "9014002", "L40.9"),
    _condition("acne", _("Acne"), "88616000", "L70.0", "acne vulgaris"),
    _condition("glaucoma", _("Damage to the nerve of the eye (glaucoma)"), "23986001", "H40.9"),
    _condition("cataract", _("Cloudy lens of the eye (cataract)"), "193570009", "H26.9"),
    # Womb and ovaries
    _condition("polycystic-ovaries", _("Polycystic ovary syndrome"), "237055002", "E28.2", "PCOS"),
    _condition("endometriosis", _("Womb lining that grows outside the womb (endometriosis)"), "129103003", "N80.9"),
    _condition("fibroids", _("Growths in the womb (fibroids)"), "95315005", "D25.9", "leiomyoma"),
)
