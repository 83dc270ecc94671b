"""Resources without a presenter of their own: what all of them have in common, and what some types have besides."""
