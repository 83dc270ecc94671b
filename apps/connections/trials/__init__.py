"""Let staff try out a registration: check what its provider publishes, and make the whole link with a test patient.

The link takes the same steps and calls as a patient's. But what comes back is inspected, described by closed
vocabularies, and revoked. It never becomes a connection or a record.
"""
