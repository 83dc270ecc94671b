"""DocumentReference. DSTU2: `class`, `created`, `indexed`, a list of formats. R4: `category`, `date`, one format."""

from apps.sandbox.people import attachments
from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment, period, plain
from apps.sandbox.people.facts import Document

_US_CORE_CATEGORY = "http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category"
_FORMATS = "urn:oid:1.3.6.1.4.1.19376.1.2.3"
_CCDA = {"system": _FORMATS, "code": "urn:hl7-org:sdwg:ccda-structuredBody:2.1", "display": "C-CDA 2.1"}


def dstu2(fact: Document, chart: Chart) -> Element:
    """DocumentReference in DSTU2."""
    return {
        "resourceType": "DocumentReference",
        "id": chart.id("DocumentReference", fact.key),
        "subject": chart.subject(),
        "type": concept(fact.kind),
        "class": concept(text="Clinical note"),
        "author": [chart.to_practitioner(fact.author)],
        "custodian": chart.to_clinic("Organization", "practice"),
        "created": moment(fact.at),
        "indexed": moment(fact.at),
        "status": fact.status,
        "description": fact.title,
        "content": [
            {
                "attachment": attachments.attachment(fact, chart),
                "format": [_CCDA] if fact.content_type == "application/xml" else None,
            }
        ],
        "context": {"encounter": chart.to("Encounter", fact.visit), "period": period(fact.at)},
    }


def r4(fact: Document, chart: Chart) -> Element:
    """DocumentReference in R4."""
    return {
        "resourceType": "DocumentReference",
        "id": chart.id("DocumentReference", fact.key),
        "status": fact.status,
        "type": concept(fact.kind),
        "category": [plain(_US_CORE_CATEGORY, "clinical-note", "Clinical Note")],
        "subject": chart.subject(),
        "date": moment(fact.at),
        "author": [chart.to_practitioner(fact.author)],
        "custodian": chart.to_clinic("Organization", "practice"),
        "description": fact.title,
        "content": [
            {
                "attachment": attachments.attachment(fact, chart),
                "format": _CCDA if fact.content_type == "application/xml" else None,
            }
        ],
        "context": {"encounter": [chart.to("Encounter", fact.visit)], "period": period(fact.at)},
    }
