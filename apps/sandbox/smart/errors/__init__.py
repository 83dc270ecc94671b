"""The names of the SMART authorization server's errors, and the page that explains each."""
