"""What was measured or found: Observations of either version, results and vital signs (patient experience 3.3)."""
