"""A page to read as a PDF: `making` starts the process that makes it, which is `__main__`."""
