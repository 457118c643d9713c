"""What can be said of a walk when it is over: how many ranks do it, before what, to which file, under which name.

Rules ask here, by way of :mod:`ddplint.rule`. Nothing here changes a walk, builds a finding or an edit.
"""
