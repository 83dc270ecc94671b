"""Bulk export: what a whole group's records look like on the wire (specification 5.2.6; interface facts 4.3; HL7 FHIR
Bulk Data Access). Asking, waiting, the list of files, and the files themselves; nothing here writes to a disk."""
