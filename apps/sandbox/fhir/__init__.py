"""The data routes: what is stored, how it is searched, paged, described and refused, in DSTU2 and R4.

`offered` is the one table of what is served; `metadata` and the description pages are made from it, and `searching`
accepts nothing else.
"""
