"""How dates are written: months in full, never all in numbers (03/04 is two days to two readers)."""
