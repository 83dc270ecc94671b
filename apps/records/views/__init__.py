"""The pages of records, which only their owner can reach; no title or address says anything clinical."""
