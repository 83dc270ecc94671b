"""The key that two results share if they are values of the same test. Values over time are found by it, and so are
panels, goals and what is told once."""

import hashlib
from typing import Final

from apps.records.presenters import plain_names
from apps.records.presenters.entry import Code

_LONGEST: Final = 120  # an index holds keys
_DIGEST: Final = 16  # letters of one
# Codes of the very same measurement: the blood pressure of Argonaut (DSTU2) and of US Core (R4), and weight measured
_SAME: Final = {"55284-4": "85354-9", "35094-2": "85354-9", "3141-9": "29463-7"}


def of(codes: tuple[Code, ...], title: str) -> str:
    """`loinc:` and the code, of several the one we have a name for; else a code of another system; else the words,
    whatever their case and spaces. Empty where nothing names it."""
    loinc = [code.code for code in codes if code.code and plain_names.is_loinc(code)]
    if loinc:
        code = next((code for code in loinc if plain_names.is_known(code)), loinc[0])
        return _key(f"loinc:{_SAME.get(code, code)}")
    other = next((f"{code.system}|{code.code}" for code in codes if code.code and code.system), "")
    return _key(other or " ".join(title.casefold().split()))


def of_others(test: str, whose: str) -> str:
    """The same test of somebody else than the patient, which is another."""
    return _key(f"{test} ({whose})")


def _key(test: str) -> str:
    """Whole, or with a digest for an end: two long questions begin alike, and whom it is of stands last."""
    if len(test) <= _LONGEST:
        return test
    digest = hashlib.sha256(test.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{test[: _LONGEST - _DIGEST - 1]} {digest}"
