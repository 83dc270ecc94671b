"""A data key per holder, wrapped by keys outside the database: seal, open, rotate, shred."""
