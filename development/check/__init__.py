"""A robot that uses the demo as a person without JavaScript would, and compares what it sees with the
sandbox's data.
"""
