"""Fully specified names of SNOMED CT, such as "Acute bronchitis (disorder)". The semantic tag in brackets is for
programs."""

import re
from typing import Final

# The semantic tags of SNOMED CT that occur in patients' records.
_KINDS: Final = (
    "administrative concept", "assessment scale", "attribute", "body structure", "cell structure", "clinical drug",
    "disorder", "dose form", "ethnic group", "event", "environment", "finding", "geographic location",
    "medicinal product", "medicinal product form", "morphologic abnormality", "observable entity", "occupation",
    "organism", "person", "physical force", "physical object", "procedure", "product", "product name",
    "qualifier value", "racial group", "record artifact", "regime/therapy", "severity modifier", "situation",
    "social concept", "specimen",
    "staging scale", "substance", "tumor staging", "unit of presentation",
)  # fmt: skip
# At the end of a name, which may be followed by another name or by an amount.
_KIND: Final = re.compile(rf" \((?:{'|'.join(_KINDS)})\)(?= *(?:$|[(/,;·]))", re.IGNORECASE)


def without(name: str) -> str:
    """The name without semantic tags; any other text unchanged."""
    return _KIND.sub("", name) if ")" in name else name


def full(name: str) -> str:
    """The name as it was sent, if it has a semantic tag; else empty."""
    return name if without(name) != name else ""
