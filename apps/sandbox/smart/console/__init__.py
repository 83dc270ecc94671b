"""The developer console: registering applications of interface B (specification 1.7, 5.2.7)."""
