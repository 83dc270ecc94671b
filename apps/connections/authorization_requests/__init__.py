"""Authorization requests: what creates one, what ties it to the browser, and the URL that the browser leaves for."""
