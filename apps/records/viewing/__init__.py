"""Pages of a record, assembled from shelves: what each shows, and the note that its owner looked."""
