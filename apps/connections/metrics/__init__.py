"""What a monitor reads at `/metrics`: the same answers that operators get, as numbers (docs/operating/metrics.md).

Metrics of links are here, those of copies in `apps.records.syncing.metrics`, and the page is the portal's. Gauges query
Postgres at each reading; counters are rows (`apps.connections.tallying` says why). Labels are client registrations,
statuses and closed vocabularies: never a person, and never more values than staff made rows.
"""
