"""How a medicine is taken: Dosage and Timing of either FHIR version, in parts and in words (patient experience 3.1)."""
