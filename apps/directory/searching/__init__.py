"""Find a provider by what a patient remembers of it: begins of words, typing errors and all, over the whole directory.

`meanings` turns what was typed into words of the vocabulary, `candidates` fetches rows that have them, `ranking` puts
them in order, `grouping` unites what is one provider to a person, and `finding` is what views call.
"""
