"""What a monitor reads at `/metrics`: the answers that operators get, as numbers (docs/operating/metrics.md).

Those of links are here; those of copies are of the app above (`apps.records.syncing.metrics`), and the page is the
portal's. Gauges are asked of Postgres when somebody reads; counters are rows (`apps.connections.tallying` says why).
Labels are client registrations, statuses and closed vocabularies: never a person, and never more of them than rows that
staff made.
"""
