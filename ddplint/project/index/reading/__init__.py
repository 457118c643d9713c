"""A file becomes a record, with the parser of the standard library."""
