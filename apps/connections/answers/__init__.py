"""An authorization response, read: whose request it ends, which tokens it brings, whose record they open."""
