"""Turn resources of every FHIR version we copy into small frozen structs that a page can show as they are."""
