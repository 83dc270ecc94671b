"""Organizations decide which applications reach their data (specification 1.6)."""
