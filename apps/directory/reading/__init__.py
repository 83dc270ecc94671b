"""Reading a list of providers: whatever its format, row by row, into what is known and what is refused.

Nothing is stored here and nobody is asked anything. A file is untrusted: any content leads to rows, to refusals with a
reason, to `NotADirectory` or to `Broken`; memory does not grow with the number of rows.
"""
