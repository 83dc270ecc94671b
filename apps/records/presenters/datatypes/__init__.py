"""The data types that resources of either version are made of, as plain values (FHIR R4 2.24)."""
