"""What operators ask about links: what lapses, what is due, what is broken and who must act. Questions over rows, which
change nothing, apart from `site_certificate`, which looks at our own certificate and keeps what it saw."""
