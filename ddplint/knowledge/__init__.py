"""What the knowledge tables say about a name: roles, argument positions, effects on files, hooks.

The tables live in the package ``ddplint_rules.knowledge``; their compiled form is read here, one framework at a time,
when a name of that framework is first asked for.
"""

from ddplint.knowledge.lookup import Knowledge, load_knowledge
from ddplint.knowledge.rows import Api, Arg, Contradiction, Env, Sharding, Trial, Varying

__all__ = ["Api", "Arg", "Contradiction", "Env", "Knowledge", "Sharding", "Trial", "Varying", "load_knowledge"]
