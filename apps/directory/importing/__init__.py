"""Import lists of providers: idempotent, by SQL over batches of rows, with a reason for each refused row.

`lists` controls an import. Providers are identified by the directory's name and their id in it, endpoints by their FHIR
base URL, authorization servers by their two addresses. What is no longer listed is marked as vanished: its connections
live on, and no new ones are made. Client registrations are never touched.
"""
