"""Process an authorization response: which request it answers, which tokens it brings, and whose record they open."""
