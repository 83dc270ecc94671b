"""The data types that make up resources of either FHIR version, as plain values (FHIR R4 2.24)."""
