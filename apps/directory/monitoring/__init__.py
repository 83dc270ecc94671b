"""The state of endpoints: what checks find, what changed, which can be linked, and how attempts to link ended."""
