"""The demo: site, worker, schedule and sandbox on this machine, with private servers and invented people."""
