"""The key that two results share if they are values of the same test. It finds values over time, and serves panels,
goals and recognizing duplicates."""

import hashlib
from typing import Final

from apps.records.presenters import plain_names
from apps.records.presenters.entry import Code

_LONGEST: Final = 120  # characters of a key: an index holds keys
_DIGEST: Final = 16  # characters of a digest
# Codes for the very same measurement: blood pressure in Argonaut (DSTU2) and in US Core (R4), and measured weight.
_SAME: Final = {"55284-4": "85354-9", "35094-2": "85354-9", "3141-9": "29463-7"}


def of(codes: tuple[Code, ...], title: str) -> str:
    """`loinc:` and the LOINC code (of several, the one for which we have a plain name); else a code of another system;
    else the title, ignoring case and spaces. Empty if nothing names the test."""
    loinc = [code.code for code in codes if code.code and plain_names.is_loinc(code)]
    if loinc:
        code = next((code for code in loinc if plain_names.is_known(code)), loinc[0])
        return _key(f"loinc:{_SAME.get(code, code)}")
    other = next((f"{code.system}|{code.code}" for code in codes if code.code and code.system), "")
    return _key(other or " ".join(title.casefold().split()))


def of_others(test: str, whose: str) -> str:
    """The key for the same test of somebody other than the patient, which counts as another test."""
    return _key(f"{test} ({whose})")


def _key(test: str) -> str:
    """The key itself; if it is too long, its beginning and a digest of it all. Long questions can begin alike, and the
    person whom a test is about comes last."""
    if len(test) <= _LONGEST:
        return test
    digest = hashlib.sha256(test.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{test[: _LONGEST - _DIGEST - 1]} {digest}"
