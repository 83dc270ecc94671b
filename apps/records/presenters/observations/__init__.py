"""Observations of either FHIR version: results, vital signs and other findings (patient experience 3.3)."""
