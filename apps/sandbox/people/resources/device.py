"""Device: an implant. DSTU2 has the unique device identifier as the string `udi`, R4 as `udiCarrier`."""

from apps.sandbox.people.chart import Chart
from apps.sandbox.people.elements import Element, concept, moment
from apps.sandbox.people.facts import Implant


def dstu2(fact: Implant, chart: Chart) -> Element:
    """Device in DSTU2, whose status list says available where R4 says active."""
    return {
        "resourceType": "Device",
        "id": chart.id("Device", fact.key),
        "type": concept(fact.kind),
        "status": {"active": "available", "inactive": "not-available"}.get(fact.status, fact.status),
        "manufacturer": fact.maker,
        "model": fact.model,
        "manufactureDate": moment(fact.made_on),
        "expiry": moment(fact.expires_on),
        "udi": _carrier(fact),
        "patient": chart.subject(),
    }


def r4(fact: Implant, chart: Chart) -> Element:
    """Device in R4."""
    return {
        "resourceType": "Device",
        "id": chart.id("Device", fact.key),
        "udiCarrier": [{"deviceIdentifier": fact.identifier, "carrierHRF": _carrier(fact), "entryType": "barcode"}],
        "status": fact.status,
        "distinctIdentifier": fact.serial,
        "manufacturer": fact.maker,
        "manufactureDate": moment(fact.made_on),
        "expirationDate": moment(fact.expires_on),
        "serialNumber": fact.serial,
        "deviceName": [{"name": fact.model, "type": "model-name"}],
        "type": concept(fact.kind),
        "patient": chart.subject(),
    }


def _carrier(fact: Implant) -> str:
    made = fact.made_on.strftime("%y%m%d")
    return f"(01){fact.identifier}(11){made}(21){fact.serial}"
