"""Providers, endpoints, authorization servers, client registrations: search and import."""
