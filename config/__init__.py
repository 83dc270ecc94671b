"""The composition root: settings, addresses, the queue and its schedule. Apps never import from here."""
