"""The configuration: which keys there are, how they are read, and the settings that come out.

May import ``util``. What a setting does is decided where it is used.
"""
