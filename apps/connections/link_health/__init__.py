"""What operators ask about links: what lapses, what is due, what is broken, and who must act. These are queries that
change nothing; only `site_certificate` checks our own certificate and stores what it saw."""
