"""Kinds of documents and notes, by their codes in LOINC (patient experience 3.8).

A name says what kind of text it is and what it contains; the provider's words beside it name the author and the
specialty. This material contains content from LOINC (http://loinc.org), (c) Regenstrief Institute and the LOINC
Committee, available at no cost under the license at http://loinc.org/license. The names are ours.
"""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.plain_names.name import PlainName


def _document(key: str, words: Promise, loinc: str, *terms: str) -> PlainName:
    return PlainName(f"document-{key}", words, terms, loinc=tuple(loinc.split()))


DOCUMENTS: Final[tuple[PlainName, ...]] = (
    # About a stay or a visit
    _document("discharge", _("Discharge summary: your hospital stay"), "18842-5", "discharge summary"),
    _document(
        "discharge-instructions", _("Instructions after your hospital stay"), "74213-0 8653-8", "discharge instructions"
    ),
    _document("emergency", _("Emergency visit note"), "34111-5", "emergency department note", "ED note"),
    _document("office", _("Office note"), "34108-1", "outpatient note"),
    _document("phone", _("Phone call note"), "34748-4", "telephone encounter"),
    # By author or occasion
    _document("progress", _("Progress note: how you were doing"), "11506-3", "progress note"),
    _document("consultation", _("Consultation note: what a specialist found"), "11488-4", "consult note"),
    _document("history", _("History and exam: what was asked and found"), "34117-2", "H&P", "history and physical"),
    _document("nurse", _("Nurse's note"), "34746-8", "nurse note"),
    _document("referral", _("Referral: why you were sent to someone else"), "57133-1", "referral note"),
    _document("procedure", _("Procedure note: what was done"), "28570-0", "procedure note"),
    _document("surgery", _("Surgery note: what was done in an operation"), "11504-8", "operative note", "op note"),
    # From a laboratory or a machine
    _document("imaging", _("Imaging report: X-ray, CT, MRI or ultrasound"), "18748-4", "diagnostic imaging study"),
    _document("laboratory", _("Lab report"), "11502-2", "laboratory report"),
    _document("tissue", _("Tissue exam report"), "11526-1", "pathology study"),
    # Summaries and plans
    _document("summary", _("Summary of your care"), "34133-9 60591-5", "summary of episode note", "CCD"),
    _document("plan", _("Plan for your care"), "18776-5", "plan of care note"),
    _document(
        "wishes", _("Advance directive: your wishes for your care"), "42348-3", "advance directives", "living will"
    ),
)
