"""Signing at the SMART authorization server: keys, ID tokens, and the documents that publish them to clients."""
