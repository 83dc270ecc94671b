"""The patient, and other people: their relationship to the patient, and how to reach them."""
