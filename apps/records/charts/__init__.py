"""The geometry of charts: pure numbers, which a template turns into SVG (patient experience 4).

Every position is a percentage of the plot with two decimals, from the left and from the top, so that no drawing needs a
`viewBox` and no text shrinks. Nothing here knows about colors, human languages or the clock.
"""
