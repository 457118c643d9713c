"""The shapes of code that fixes write: guards, hoisted values, helpers, barriers.

May import ``fixing.code`` and ``fixing.edit``. What one rule alone builds stands beside that rule.
"""
