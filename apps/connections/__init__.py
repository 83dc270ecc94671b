"""Linking, refreshing and disconnecting; authorization requests, connections, stored token sets."""
