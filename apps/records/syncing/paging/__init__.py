"""How a search continues: the cursor, detection of pages that repeat, and a page that was received but not stored
yet."""
