"""Developers: who is signed in at the portal, the console and the system accounts."""
