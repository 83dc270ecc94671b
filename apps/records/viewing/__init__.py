"""Pages of a record, assembled from shelves: what each shows, and that somebody looked."""
