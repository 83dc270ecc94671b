"""Where things stand in a drawing: pure numbers, which a template turns into SVG (patient experience 4).

Every place is a percentage of the plot with two decimals, from the left and from the top, so that no drawing needs a
`viewBox` and no text shrinks. Nothing here knows of colors, words of a language, or the clock.
"""
