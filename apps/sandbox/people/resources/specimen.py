"""Specimen: R4 only."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment
from apps.sandbox.people.facts import Sample


def r4(fact: Sample, chart: Chart) -> Element:
    """Specimen in R4."""
    return {
        "resourceType": "Specimen",
        "id": chart.id("Specimen", fact.key),
        "accessionIdentifier": {"system": "urn:oid:2.16.840.1.113883.3.9999.3", "value": fact.accession},
        "status": "available",
        "type": concept(fact.kind),
        "subject": chart.subject(),
        "collection": {"collector": chart.to_practitioner("rowe"), "collectedDateTime": moment(fact.taken_at)},
    }
