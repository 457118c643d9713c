"""Paths, who writes them, what was asked of them before, and what the write minds.

What rules of ``files`` alone ask is beside those.
"""
