"""What a plain name is."""

from dataclasses import dataclass

from django.utils.functional import Promise


@dataclass(frozen=True)
class PlainName:
    """The plain name of a test, a condition, a kind of document or a kind of visit. `words` are translated when shown;
    `key` is the same in every language. `terms` are what laboratories and clinics call the same thing, for search. The
    codes are those that mean exactly this, and nothing narrower."""

    key: str
    words: Promise
    terms: tuple[str, ...] = ()
    loinc: tuple[str, ...] = ()
    snomed: tuple[str, ...] = ()
    icd10: tuple[str, ...] = ()
