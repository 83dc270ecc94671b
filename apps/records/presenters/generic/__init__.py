"""Resources without a presenter of their own: what any of them says, and what types we know say in particular."""
