"""Lists of entries: what a row says, which rows stand together, and what is missing from them."""
