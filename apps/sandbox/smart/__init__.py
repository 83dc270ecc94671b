"""Interface B: a SMART on FHIR deployment of several organizations, its authorization server and its data."""
