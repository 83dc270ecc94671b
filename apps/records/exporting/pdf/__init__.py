"""A page to read as a PDF: `making` has it made, `__main__` is the process that makes it."""
