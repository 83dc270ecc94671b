"""Whether the provider says that something was measured at home (patient experience 3.4); we never guess.

The provider says so if the patient is the performer, or if a home method is named: by the setting of a vital sign (HL7
vitals, extension MeasurementSettingExt: SNOMED CT 264362003, home), by a code for home readings or their average, or in
the words of the method, the category or the device. An element that exists in both FHIR versions is the same in both.
"""

import re
from collections.abc import Iterator
from typing import Final

from apps.records.presenters import elements, plain_names
from apps.records.presenters.codeable_concepts import codes_of
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code
from apps.records.presenters.memoizing import memoized
from apps.records.presenters.naming import beside, is_patient

_SETTING: Final = "/MeasurementSettingExt"
_PLACES: Final = frozenset({"264362003"})  # home (environment)
# SNOMED CT: blood pressure recorded by patient at home; average home blood pressure, diastolic and systolic
_READINGS: Final = frozenset({"413153004", "413605002", "413606001"})
_MEASURES: Final = (
    r"blood pressure|bp|blood glucose|glucose|glucometer|measure\w*|reading|monitor\w*|meter|device|cuff|scale|"
    r"thermometer|oximet\w*|spirometer|peak flow|method|self[- ]\w+"
)
# Not a nursing home or home health, and not "not at home".
_HOME: Final = re.compile(
    rf"^\W*home\W*$|(?<!not )(?<!nursing )\bat home\b(?! health)|(?<!nursing )(?<!care )\bhome[- ](?:{_MEASURES})\b|"
    r"(?<!no )\ben (?:la |su )?(?:casa|hogar|domicilio)\b|\ben el (?:hogar|domicilio)\b|^\W*(?:hogar|domicilio)\W*$",
    re.IGNORECASE,
)


def is_said(resource: Element) -> bool:
    """Whether an Observation was measured at home, as its provider says. Do not ask this of a questionnaire's answers:
    the patient is their performer, but measures nothing."""
    return (
        any(map(is_patient, elements.children(resource, "performer")))
        or any(map(_is_home_method, _methods(resource)))
        or any(map(_is_reading_at_home, _readings(resource)))
        or bool(_HOME.search(beside(elements.child(resource, "device"))))
    )


def _methods(resource: Element) -> Iterator[Element]:
    """The concepts that say how and where it was measured."""
    yield from elements.children(resource, "method")
    yield from elements.children(resource, "category")
    for extension in elements.children(resource, "extension"):
        if elements.text(extension, "url").endswith(_SETTING):
            yield elements.child(extension, "valueCodeableConcept")
            yield elements.child(extension, "valueCoding")


def _readings(resource: Element) -> Iterator[Element]:
    """The concepts that say what was measured."""
    yield elements.child(resource, "code")
    for part in elements.children(resource, "component"):
        yield elements.child(part, "code")


@memoized
def _is_home_method(concept: Element) -> bool:
    codings = codes_of(concept)
    said = (elements.text(concept, "text"), *(coding.display for coding in codings))
    return any(_is_one_of(_PLACES | _READINGS, coding) for coding in codings) or any(map(_HOME.search, said))


@memoized
def _is_reading_at_home(concept: Element) -> bool:
    return any(_is_one_of(_READINGS, coding) for coding in codes_of(concept))


def _is_one_of(codes: frozenset[str], coding: Code) -> bool:
    return coding.code in codes and plain_names.is_snomed(coding)
