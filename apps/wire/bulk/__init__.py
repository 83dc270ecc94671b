"""The bulk export of a whole group over HTTP (HL7 FHIR Bulk Data Access; specification 5.2.6; interface facts 4.3):
starting it, its status, the list of files, and the files. Nothing here writes to a disk."""
