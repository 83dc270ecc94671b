"""Read a list of providers in any supported format, row by row: accepted rows, and refused ones with a reason.

Nothing is stored, and no network call is made. Files are untrusted: any content results in rows, in refusals with a
reason, in `NotADirectory` or in `Broken`. Memory use does not grow with the number of rows.
"""
