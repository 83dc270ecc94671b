"""What pages say of links and attempts, as plain data and in words a patient can use."""
