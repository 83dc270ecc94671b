"""The machine-readable description of the data routes per FHIR version, and a page to explore it (facts 9.3, X73)."""
