"""Bringing lists of providers into the tables: idempotent, set by set, a reason for each row refused.

`lists` holds the journey. Providers are recognized by the directory's name and their id in it, endpoints by their FHIR
base URL, authorization servers by their two addresses. What is no longer listed is marked vanished: connections of it
live on, nobody makes new ones. Client registrations are never touched.
"""
