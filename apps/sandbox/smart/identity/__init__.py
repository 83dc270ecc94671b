"""Who signs what at the SMART authorization server: keys, ID tokens, and the documents that tell clients of them."""
