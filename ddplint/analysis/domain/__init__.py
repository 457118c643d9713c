"""What the analysis computes with: values and terms, conditions, their joins, and where a value comes from.

Knows no rank but as a number from 0 to 3, no library and no syntax (nodes are carried, never looked into), and has no
state but the table of terms. The ground floor of the analysis.
"""
