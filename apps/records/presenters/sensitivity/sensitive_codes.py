"""The codes of what is sensitive: whole chapters and ranges of ICD, and a few of SNOMED CT and LOINC.

ICD-10-CM and ICD-9-CM are the CDC's; the World Health Organization's ICD-10 has some codes of its own, such as X60 to
X69. SNOMED CT is (c) SNOMED International, LOINC (c) Regenstrief Institute, used under its license. ICD codes are
written without their dots here.
"""

import re
from collections.abc import Callable
from typing import Final

from apps.records.presenters import grave_news, plain_names
from apps.records.presenters.entry import Code

_ICD_10: Final = re.compile(
    r"F\d|G30|R4[45]|Z046|Z133|Z81|Z86[45]|Z87890|"  # mental health, and its history
    r"G312|G621|G721|I426|K292|K70|K852|K860|E244|Q860|P04[34]|P961|R78[0-5]|T40|T436|T51|X42|X45|Y15|Y9[01]|"
    r"Z50[23]|Z71[4-6]|Z72[0-2]|Z79891|Z87891|"  # alcohol, drugs, tobacco
    r"A5\d|A6[0-4]|A749|B2[0-4]|B9735|B977|R75|R8[57]81|Z11[34]|Z1151|Z20[26]|Z21|Z224|Z2981|Z717|Z725|Z830|"
    r"O[\dA]|P95|N46|N52|N9[67]|Z3[0-79A]|Z793|Z875|Z975|Z985|"  # pregnancies, and contraception
    r"T7[46]|X8[5-9]|X9|Y0\d|Z04[4578]|Z69|Z914|N9081|"  # violence against them
    r"X6\d|X7\d|X8[0-4]|T1491|Z915|"  # self-harm and violence, including by poison
    r"T(?:3[6-9]|4\d|50|5[1-79]|6[0-5]|71)..[23]|T5[0-9].[23]X|T71.[23]|"
    r"Z5[5-9]|Z6[0-5]"  # how they live
)
_ICD_9: Final = re.compile(
    r"29\d|30\d|31\d|3310|7801|V11|V170|V40|V79|"
    r"571[0-3]|3575|4255|5353|76071|7795|7903|9650|980|E860|V1582|V6542|"
    r"04[234]|07953|79571|09\d|0541|07811|0794|131|79505|V016|V02[78]|V08|V654[45]|V692|V7381|V7388|V745|"
    r"6[3-7]\d|606|60784|628|62981|V2[2-8]|V455|V724|"
    r"9955|9958[0-5]|E9[56]|V154|V71[56]|V7181|"
    r"V6[0-2]"
)
_PROCEDURES: Final = re.compile(r"10|GZ|HZ")  # ICD-10-PCS: obstetrics, mental health, substance abuse treatment
_SNOMED: Final = frozenset(
    {
        # mental disorder, depression, anxiety, panic, trauma, bipolar, psychosis, schizophrenia, compulsion, attention
        "74732009", "35489007", "370143000", "36923009", "66344007", "48694002", "197480006", "21897009", "371631005",
        "47505003", "13746004", "69322001", "58214004", "191736004", "406506008", "56882008", "78004001", "52448006",
        # alcohol, drugs, opioids
        "7200002", "15167005", "66590003", "66214007", "191816009", "26416006", "361055000", "55680006", "75544000",
        "5602001", "6525002", "449868002", "8517006",
        # HIV, syphilis, gonorrhea, chlamydia, herpes, warts
        "86406008", "62479008", "165816005", "76272004", "15628003", "105629000", "240589008", "33839006", "266113007",
        # pregnancies, ended or not; infertility
        "77386006", "72892002", "17369002", "19169002", "386639001", "57797005", "34801009", "79586000", "35999006",
        "237364002", "6738008", "2904007", "11466000",
        # suicide, harm to oneself, violence
        "6471006", "82313006", "44301001", "225444004", "248062006", "397940009", "424393004", "706893006",
    }
)  # fmt: skip
_LOINC: Final = grave_news.HIV | {
    "82810-3", "8665-2", "11778-8", "11779-6", "11780-4",  # whether somebody is pregnant, and the due date
    "2106-3", "2118-8", "19080-1", "21198-7",  # pregnancy tests
}  # fmt: skip

_NINE: Final = "http://hl7.org/fhir/sid/icd-9"
_TEN: Final = "http://hl7.org/fhir/sid/icd-10"
_OF_NINE: Final = frozenset({"urn:oid:2.16.840.1.113883.6.103", "urn:oid:2.16.840.1.113883.6.2"})
_OF_TEN: Final = frozenset({"urn:oid:2.16.840.1.113883.6.90", "urn:oid:2.16.840.1.113883.6.3"})
_OF_PROCEDURES: Final = frozenset(
    {f"{_TEN}-pcs", "http://www.cms.gov/medicare/coding/icd10", "urn:oid:2.16.840.1.113883.6.4"}
)


def is_one(code: Code) -> bool:
    """Whether a coding is sensitive. A code without a system is taken for ICD-10, whose codes look like no others."""
    system = code.system.strip().rstrip("/").lower()
    if plain_names.is_snomed(code):
        return code.code in _SNOMED
    if plain_names.is_loinc(code):
        return code.code in _LOINC
    begins = _beginnings(system)
    return begins is not None and begins(code.code.strip().replace(".", "").upper()) is not None


def _beginnings(system: str) -> Callable[[str], re.Match[str] | None] | None:
    if system in _OF_PROCEDURES:
        return _PROCEDURES.match
    if system in _OF_NINE or system.startswith(_NINE):
        return _ICD_9.match
    return _ICD_10.match if not system or system in _OF_TEN or system.startswith(_TEN) else None
