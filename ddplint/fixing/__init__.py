"""Rewriting files: edits on LibCST nodes, their application, the loop that verifies them, writing."""
