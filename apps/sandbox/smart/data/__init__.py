"""Everything below a FHIR root of interface B: metadata, the SMART configuration, and the data routes."""
