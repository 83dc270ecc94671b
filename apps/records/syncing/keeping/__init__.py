"""What becomes of rows that came: whose they are, how they are stored, and what to think of those that did not come."""
