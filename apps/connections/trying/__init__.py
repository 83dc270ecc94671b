"""Trying a registration out, for staff: what its provider publishes, and the whole link with a test patient.

The link is a patient's, step by step, through the same calls; but what comes back is looked at, told in closed words,
and given back. Nothing of it becomes a connection or a record.
"""
