"""What an error of the SMART authorization server is called, and the page that explains it."""
