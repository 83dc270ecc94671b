"""Turn resources of every FHIR version we copy into small frozen dataclasses that a page can show as they are."""
