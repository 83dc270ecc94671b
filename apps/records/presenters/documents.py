"""A DocumentReference of either FHIR version: a document or note, and its files (patient experience 3.8).

Facts 1.6: DSTU2 has `class`, `indexed`, `created`, a list of formats, and a concept as `docStatus`; R4 has `category`,
`date`, one format, and a code. An author or custodian may be a junk address (facts 1.3): it names nobody, and we do not
follow it.
"""

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from apps.records.presenters import attachments, elements
from apps.records.presenters.annotations import notes
from apps.records.presenters.attachments import File
from apps.records.presenters.codeable_concepts import first_name
from apps.records.presenters.datatypes import moments
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Code, Context, Entry
from apps.records.presenters.heads import head, status_codes
from apps.records.presenters.naming import codings, name_of, names_of, titles

_MOST = 20
_ANY_NOTE = "clinical note"  # the category of every note in US Core (facts 1.3), so that it tells readers nothing


class Status(StrEnum):
    """The status of a document."""

    FINAL = "final"
    DRAFT = "draft"
    CHANGED = "changed"
    REPLACED = "replaced"


class Group(StrEnum):
    """The groups of the list."""

    CURRENT = "current"
    EARLIER = "earlier"


_BY_DOC_STATUS = {
    "preliminary": Status.DRAFT,
    "amended": Status.CHANGED,
    "appended": Status.CHANGED,
    "corrected": Status.CHANGED,
}


class How(StrEnum):
    """How a document relates to another one."""

    ADDS_TO = "adds-to"
    FORM_OF = "form-of"
    SIGNS = "signs"
    NEW_VERSION = "new-version"


_RELATIONS = {
    "appends": How.ADDS_TO,
    "transforms": How.FORM_OF,
    "signs": How.SIGNS,
    "replaces": How.NEW_VERSION,
}


class Relation(msgspec.Struct, frozen=True, gc=False):
    """A relation to another document, which is named as the reference calls it, if at all."""

    how: How
    document: str = ""


class DocumentEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A document. `title` is its kind; `name` what else it is called. `when` is the visit, else when it was written.

    `categories` and `category_codes` are broader kinds. `about` is what was done that the document describes,
    `attested_by` is who vouches for it. `relations` say how it relates to other documents: an addition alone does not
    say what it adds to."""

    name: str = ""
    categories: tuple[str, ...] = ()
    category_codes: tuple[Code, ...] = ()
    written: When = UNDATED
    custodian: str = ""
    files: tuple[File, ...] = ()
    about: tuple[str, ...] = ()
    specialties: tuple[str, ...] = ()
    attested_by: str = ""
    relations: tuple[Relation, ...] = ()


def present(resource: Element, context: Context) -> DocumentEntry:
    """Read a DocumentReference."""
    heading = head(resource, elements.child(resource, "type"))
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return DocumentEntry(**heading)
    described, surroundings = attachments.files(resource)[:_MOST], elements.child(resource, "context")
    called = (elements.text(resource, "description"), *(file.described.title for file in described))
    name = first_name(called)
    categories = tuple(title for title in titles(resource, "class", "category") if title.casefold() != _ANY_NOTE)
    heading["title"] = first_name((heading["title"], name, *categories))
    seen = moments.read(surroundings, "period", means="seen", birth_date=context.birth_date)
    seen = replace(seen, is_open=False)  # a visit without an end does not make the document "since" its start
    written = _written(resource)
    status = _status(resource)
    return DocumentEntry(
        **heading,
        when=seen or written,
        status=status,
        group=_group(status),
        people=names_of(elements.children(resource, "author"), context, within=resource),
        said=notes(resource),
        name=name if name != heading["title"] else "",
        categories=categories,
        category_codes=tuple(code for code in codings(resource, "class", "category") if code.code != "clinical-note"),
        written=written,
        custodian=name_of(elements.child(resource, "custodian"), context, within=resource),
        files=described,
        about=titles(surroundings, "event"),
        specialties=titles(surroundings, "practiceSetting"),
        attested_by=name_of(elements.child(resource, "authenticator"), context, within=resource),
        relations=_relations(resource, context),
    )


def _written(resource: Element) -> When:
    """When the document was written. R4's `date` is when the reference was made, so that a file's own date takes
    precedence, as `created` does in DSTU2."""
    own = moments.read(resource, "created", means="written-down")
    made = (
        moments.read(elements.child(part, "attachment"), "creation", means="written-down")
        for part in elements.children(resource, "content")
    )
    return own or next(filter(None, made), When()) or moments.read(resource, "date", "indexed", means="written-down")


def _status(resource: Element) -> str:
    if "superseded" in status_codes(resource, "status"):
        return Status.REPLACED
    said = status_codes(resource, "docStatus")
    found = next((_BY_DOC_STATUS[code] for code in said if code in _BY_DOC_STATUS), None)
    if found is not None:
        return found
    return Status.FINAL if "current" in status_codes(resource, "status") else NOT_GIVEN


def _group(status: str) -> str:
    if status == NOT_GIVEN:
        return NOT_GIVEN
    return Group.EARLIER if status == Status.REPLACED else Group.CURRENT


def _relations(resource: Element, context: Context) -> tuple[Relation, ...]:
    found = (
        Relation(_RELATIONS[code], name_of(relation.get("target"), context, within=resource))
        for relation in elements.children(resource, "relatesTo")
        for code in status_codes(relation, "code")
        if code in _RELATIONS
    )
    return tuple(dict.fromkeys(found))[:_MOST]
