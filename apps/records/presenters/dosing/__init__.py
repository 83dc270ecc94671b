"""How a medicine is taken: Dosage and Timing of either version, in parts and in words (patient experience 3.1)."""
