"""The record as files that a person takes elsewhere: as received, as a page to read, and as a patient summary.

`stored` opens the rows one after the other; `bundles` and `ndjson` put them into files byte for byte; `archives` makes
one stream of several files; `pdf` turns a page to read into a PDF. Nothing is written to disk, and memory use does not
grow with the record.
"""
