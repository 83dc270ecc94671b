"""Pages that need several apps, one module per page."""
