"""What the files of a project define and call, and what comes of calling it: found without walking anything.

Made with the standard library's parser, for nothing of it is edited; findings and fixes stand on LibCST's trees.
:class:`ddplint.project.index.queries.Index` is the only way in.
"""
