"""Holdfast's apps. Imports point one way: portal, records, connections, directory, accounts; below them the rest."""
