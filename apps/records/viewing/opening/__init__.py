"""A record as its pages open it: whose it is, which connections it comes from, and how current each is."""
