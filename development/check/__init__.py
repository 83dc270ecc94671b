"""A robot that walks through the demo as a person without script would, and compares what it sees with the sandbox."""
