"""The data types of which resources of either FHIR version consist, as plain values (FHIR R4 2.24)."""
