"""Find a provider by what a patient remembers of it: by prefixes of words, despite typing errors, over the whole
directory.

`meanings` maps what was typed to words of the vocabulary, `candidates` fetches rows that have them, `ranking` sorts
them, `grouping` unites rows that are one provider to a person, and views call `finding`.
"""
