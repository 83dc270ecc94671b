"""Links that end: who is to be warned when, by mail that is sent once for each end and each time they chose."""
