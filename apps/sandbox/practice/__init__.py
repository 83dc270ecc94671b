"""The front desk of an invented practice: enrolling patients, and the practices themselves."""
