"""What the analysis computes with: values and symbols, conditions, their joins, and where a value comes from.

Knows no rank but as a number from 0 to 3, no torch and no syntax; has no state. The ground floor of the analysis.
"""
