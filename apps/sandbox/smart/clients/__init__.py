"""Programs at the addresses of interface B's authorization server: what they posted, and who they are."""
