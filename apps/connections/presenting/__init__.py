"""What pages say about links and attempts, as plain data and in words that patients can use."""
