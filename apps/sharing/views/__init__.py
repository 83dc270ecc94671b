"""Pages of sharing: the owner's, and the visitor's."""
