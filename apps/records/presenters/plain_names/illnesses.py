"""The illnesses that vaccines protect against, by CVX code (CDC's list of vaccines administered in the United States).

People look for the illness, not for the product (patient experience 3.6); a combination counts for each of its
illnesses. Codes of which we are not sure are left out, so that pages show only the provider's words.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache

from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.entry import Code

_CVX = frozenset({"http://hl7.org/fhir/sid/cvx", "https://hl7.org/fhir/sid/cvx", "urn:oid:2.16.840.1.113883.12.292"})


class Illness(StrEnum):
    """An illness against which there is a vaccine."""

    CHICKENPOX = "chickenpox"
    COVID = "covid"
    DIPHTHERIA = "diphtheria"
    FLU = "flu"
    HEPATITIS_A = "hepatitis-a"
    HEPATITIS_B = "hepatitis-b"
    HIB = "hib"
    HPV = "hpv"
    JAPANESE_ENCEPHALITIS = "japanese-encephalitis"
    MEASLES = "measles"
    MENINGOCOCCAL = "meningococcal"
    MUMPS = "mumps"
    PNEUMOCOCCAL = "pneumococcal"
    POLIO = "polio"
    RABIES = "rabies"
    ROTAVIRUS = "rotavirus"
    RSV = "rsv"
    RUBELLA = "rubella"
    SHINGLES = "shingles"
    TETANUS = "tetanus"
    TYPHOID = "typhoid"
    WHOOPING_COUGH = "whooping-cough"
    YELLOW_FEVER = "yellow-fever"


def of(codes: Iterable[Code]) -> tuple[Illness, ...]:
    """The illnesses against which a vaccine with these codings protects; empty if we do not know the code."""
    coded = (code.code.removeprefix("0") for code in codes if code.system.rstrip("/") in _CVX)
    return tuple(dict.fromkeys(illness for code in coded for illness in _BY_CODE.get(code, ())))


def key_of(illnesses: Iterable[Illness]) -> str:
    """The key of vaccines against these illnesses, in an index in which other things have keys as well; empty for no
    illnesses."""
    return ",".join(map(_key, illnesses))


def read_key(key: str) -> tuple[Illness, ...]:
    """The illnesses for which `key_of` returned this key; empty for any other key."""
    return tuple(_BY_KEY[each] for each in key.split(",") if each in _BY_KEY)


def name_of(illness: Illness) -> str:
    """The name of an illness, in the reader's language."""
    return names_of((illness,))[0]


def names_of(illnesses: Iterable[Illness], language: str = "") -> tuple[str, ...]:
    """The names of these illnesses. Callers with many of them look up the reader's `language` once and pass it."""
    told_in = language or get_language() or ""
    return tuple(_name_in(illness, told_in) for illness in illnesses)


@cache
def _name_in(illness: Illness, _language: str) -> str:
    """Cached: a list names several in each row, and looking up the words takes as long as the rest of the row. The name
    of an illness identifies nobody."""
    return str(ILLNESS_WORDS[illness])


def _key(illness: Illness) -> str:
    return f"against-{illness}"


def _by_code() -> dict[str, tuple[Illness, ...]]:
    against: dict[str, tuple[Illness, ...]] = {}
    for illness, codes in _CODES.items():
        for code in codes.split():
            against[code] = (*against.get(code, ()), illness)
    return against


_DTP = (
    "1 20 22 50 102 106 107 110 120 130 146 170 198"  # diphtheria, tetanus and whooping cough, with or without others
)
_TD = "9 28 113 138 139"
_CODES: Mapping[Illness, str] = {
    Illness.CHICKENPOX: "21 94",
    Illness.COVID: "207 208 210 211 212 213 217 218 219 221 228 229 230 300 301 302 308 309 310 311 312 313",
    Illness.DIPHTHERIA: f"{_DTP} {_TD} 115",
    Illness.FLU: "15 16 88 111 125 126 127 128 135 140 141 144 149 150 151 153 155 158 161 166 168 171 185 186 197 205",
    Illness.HEPATITIS_A: "31 52 83 84 85 104",
    Illness.HEPATITIS_B: "8 42 43 44 45 51 102 104 110 146 189 198 220",
    Illness.HIB: "17 22 46 47 48 49 50 51 102 120 146 148 170 198",
    Illness.HPV: "62 118 137 165",
    Illness.JAPANESE_ENCEPHALITIS: "39 134",
    Illness.MEASLES: "3 4 5 94",
    Illness.MENINGOCOCCAL: "32 103 108 114 136 147 148 162 163 164 203",
    Illness.MUMPS: "3 7 38 94",
    Illness.PNEUMOCOCCAL: "33 100 109 133 152 215 216",
    Illness.POLIO: "2 10 89 110 120 130 146 170",
    Illness.RABIES: "18 40 90 175 176",
    Illness.ROTAVIRUS: "116 119 122",
    Illness.RSV: "303 304 305",
    Illness.RUBELLA: "3 4 6 38 94",
    Illness.SHINGLES: "121 187 188",
    Illness.TETANUS: f"{_DTP} {_TD} 35 112 115",
    Illness.TYPHOID: "25 41 53 91 101",
    Illness.WHOOPING_COUGH: f"{_DTP} 115",
    Illness.YELLOW_FEVER: "37 183 184",
}
_BY_CODE = _by_code()
_BY_KEY = {_key(illness): illness for illness in Illness}

ILLNESS_WORDS: Mapping[Illness, str | Promise] = {
    Illness.CHICKENPOX: _("Chickenpox (varicella)"),
    Illness.COVID: _("COVID-19"),
    Illness.DIPHTHERIA: _("Diphtheria"),
    Illness.FLU: _("Flu"),
    Illness.HEPATITIS_A: _("Hepatitis A"),
    Illness.HEPATITIS_B: _("Hepatitis B"),
    Illness.HIB: _("Hib (Haemophilus influenzae type b)"),
    Illness.HPV: _("HPV (human papillomavirus)"),
    Illness.JAPANESE_ENCEPHALITIS: _("Japanese encephalitis"),
    Illness.MEASLES: _("Measles"),
    Illness.MENINGOCOCCAL: _("Meningitis (meningococcal disease)"),
    Illness.MUMPS: _("Mumps"),
    Illness.PNEUMOCOCCAL: _("Pneumonia (pneumococcal disease)"),
    Illness.POLIO: _("Polio"),
    Illness.RABIES: _("Rabies"),
    Illness.ROTAVIRUS: _("Rotavirus"),
    Illness.RSV: _("RSV (respiratory syncytial virus)"),
    Illness.RUBELLA: _("Rubella (German measles)"),
    Illness.SHINGLES: _("Shingles (zoster)"),
    Illness.TETANUS: _("Tetanus"),
    Illness.TYPHOID: _("Typhoid"),
    Illness.WHOOPING_COUGH: _("Whooping cough (pertussis)"),
    Illness.YELLOW_FEVER: _("Yellow fever"),
}
