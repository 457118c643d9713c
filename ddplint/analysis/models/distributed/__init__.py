"""What speaks to other ranks, or is about them: collectives, groups, wrapped models, who a process is.

One API is a row of the knowledge tables; here is what the *kinds* of rows do.
"""
