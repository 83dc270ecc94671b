"""The patient, and other people by what they are to the patient or how to reach them."""
