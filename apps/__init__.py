"""Holdfast's apps. Imports point one way: portal, records, connections, directory, accounts, then audit, vault, wire."""
