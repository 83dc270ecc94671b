"""What a plain name is."""

from dataclasses import dataclass

from django.utils.functional import Promise


@dataclass(frozen=True)
class PlainName:
    """One thing that is measured, that somebody has, that is written, or that somebody came for. `words` are translated
    when shown; `key` is the same in every language. `terms` are what laboratories and clinics write for the same thing,
    for search; the codes are those that mean it and nothing narrower."""

    key: str
    words: Promise
    terms: tuple[str, ...] = ()
    loinc: tuple[str, ...] = ()
    snomed: tuple[str, ...] = ()
    icd10: tuple[str, ...] = ()
