"""Resources without a presenter of their own: what all types have in common, and what is particular to some."""
