"""The FHIR data routes of both versions."""
