"""Images that were taken of somebody: of what, with what, and how many."""

from collections.abc import Iterable, Iterator

from apps.records.presenters import elements, naming
from apps.records.presenters.codeable_concepts import codes_of, title_of
from apps.records.presenters.datatypes import quantities
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.generic import provider_words
from apps.records.presenters.generic.particular_words import WORDS, What


def study(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """ImagingStudy: the machine, what was imaged, what was done, and how many images there are."""
    series = list(elements.children(resource, "series"))
    machines = (found for name in ("modality", "modalityList") for found in elements.children(resource, name))
    each = (found for part in series for found in elements.children(part, "modality"))
    yield What.MACHINE, (_machine(found) for found in (*machines, *each))
    yield What.DONE, naming.reasons(resource, context, ("procedureCode",), ("procedureReference", "procedure"))
    sides = ((title_of(each.get("bodySite")), title_of(each.get("laterality"))) for each in series)
    yield What.BODY_SITES, (provider_words.with_more(site, side) for site, side in sides)
    counted = elements.number(resource, "numberOfInstances")
    yield What.SERIES, (elements.text(each, "description") for each in series)
    yield What.WHERE, provider_words.names(resource, "location", context)
    yield What.IMAGES, (quantities.digits(counted) if counted else "",)


def _machine(sent: Element) -> str:
    """The machine, by DICOM's code, which many servers send without a display, else in the provider's words."""
    keys = (f"image-{coding.code.lower()}" for coding in codes_of(sent))
    return next((key for key in keys if key in WORDS), title_of(sent))


def media(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """Media: the kind of image or recording, the view, and the device that made it."""
    yield What.MACHINE, (_machine(found) for found in elements.children(resource, "modality"))
    yield What.KIND, naming.titles(resource, "subtype")
    yield What.VIEW, naming.titles(resource, "view")
    device = naming.name_of(resource.get("device"), context, within=resource)
    yield What.MADE_WITH, (elements.text(resource, "deviceName") or device,)
