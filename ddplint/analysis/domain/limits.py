"""How far the analysis goes before it gives up: each number bounds work, and none decides what is right.

What lies beyond a limit is taken to be unknown; where something may have been missed by that, a note of the report
says so. A larger number costs time on every repository, a smaller one findings on some.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ddplint.util import figures

# One walk

SOFT_STEPS = 200_000
"""From here on nothing is walked that can be left out: what was begun should still come to its end."""

HARD_STEPS = 400_000
"""Here a walk ends and is not compared: it would take longer than people wait for a file."""

FILE_STEPS = 800_000
"""For all walks of a file: a file of many entries should not take longer than one of a long one, twice."""

TEST_STEPS = 80_000
"""From here on a test follows no calls: only what stands in tests is said of it, and what it calls is walked anyway."""

TEST_FILE_STEPS = 120_000
"""For all walks of a file of tests: a long one, and as many short ones as people write."""

ENTRIES = 400
"""For one file: whoever has more functions that nobody calls has written a library of small ones."""

PYTHON_FRAMES = 12_000
"""Nested code makes nested calls of ours; so many fit on the stack that :mod:`ddplint.util.stack` gives us."""

CALL_DEPTH = 40
"""Calls in calls: programs that are written by hand nest less, and each level costs many frames of our own."""

RECURSION = 6
"""How often a function is on the stack that counts down a known number; any other recursion is followed once."""

MODULES = 60
"""Modules that one file's walks load for their imports; beyond, only those that the index sees calls lead to."""

OUTSIDE_STEPS = 60_000
"""For a file that was not asked for and is followed since it calls into one that was: enough to come to the call."""

ASIDE_DEPTH = 16
"""Looks within looks at how long an iterable is: each runs the program's own ``__iter__`` once more."""

ITERABLES = 200
"""Objects whose ``__iter__`` is run to learn how long they are, in the walks of one file."""

STAND_INS = 40
"""So many objects at most stand in, in the walk of one file: each costs the walk of its ``__init__``."""

SHORT_CALL = 60
"""Steps of a call that even the coarsest walk makes again: a helper of a few lines that answers by its arguments."""

GIVEN_VALUES = 240
"""Values that a call hangs on, with all that is asked of them: with more, it is walked as fast as looked up."""

# Loops

FOR_ITERATIONS = 3
"""Iterations of unknown number that are walked: one, one that sees what the first left, one that shows it stays so."""

FEW_ITERATIONS = 2
"""The same in a coarse walk: one, and one that sees what the first left."""

WHILE_ITERATIONS = 8
"""Iterations of ``while`` that are walked at most, where its condition stays known so long."""

EXACT_ITERATIONS = 6
"""Elements of a known list that are walked one by one: lists that programs spell out for their stages are shorter."""

ENDLESS_ITERATIONS = 3
"""Iterations of ``while True`` that are walked after its numbers were widened, as long as nobody leaves."""

LEFT_ITERATION = 2
"""The last iteration of ``while True`` in which a number is still counted, once some ranks may have left."""

COUNTED_ITERATIONS = 3
"""Rounds of ``while True`` that are counted exactly, as long as nothing unknown may end it."""

# Values

LEAVES = 8
"""Alternatives of one value: every branch on it walks an arm for each, so three independent options are the most."""

FEW_LEAVES = 2
"""The same in a coarse walk: what holds, and what holds otherwise."""

CALL_WAYS = 8
"""Alternatives of an argument for which a call of a library is answered one by one; as many as a value may have."""

CALL_PRODUCT = 64
"""Ways of all arguments of a call together that are answered one by one: two with as many as they may have."""

TERM_SIZE = 14
"""Parts of a name: larger terms get a name of their own, since every question about a term visits all of its parts."""

CONDITION_SIZE = 120
"""The same of conditions that are joined from others, each of which is no larger than a term may be."""

DECISION_SIZE = 60
"""Parts of a condition that a path keeps as a whole: of a larger one, each alternative is walked for itself."""

TERM_COUNTERS = 4
"""Loop counters that the name of a large term still mentions: so deep are the loops of a trainer."""

KNOWN_TEXT = figures.LONGEST
"""Characters of a text that is known: paths and options are shorter, and texts of data say nothing about ranks."""

KNOWN_ITEMS = 32
"""How long a content is followed element by element."""

REPEATED_ITEMS = 64
"""How long a repeated list is followed element by element."""

JOINED_PARTS = 8
"""How many parts a text is joined from."""

FEW_ELEMENTS = 8
"""How many elements of something unknown are distinguished."""

NESTED_CONTAINERS = 3
"""How deep containers in containers are looked into."""

ARGUMENT_PARTS = 128
"""Parts of an argument (a state dict in a list in a dict) that are looked at one by one."""

NESTED_OBJECTS = 100
"""How many objects inside one another are followed."""

MODEL_PARTS = 100
"""Modules of a model whose mode is set together with its own."""

WRAPPING_DOUBTS = 3
"""Where more than that many decisions lie between, nothing is said of what a module has become."""

BASES = 12
"""Classes above a class that are looked through for an attribute; a circle of bases ends here, too."""

KINDS_ASKED = 32
"""Classes that one ``isinstance`` names: a longer tuple is a table that a program has computed."""

DECISIONS_TO_STAY = 12
"""Decisions on which it hangs who is still here, of those that are remembered one inside the other."""

PICKED_METHODS = 3
"""Classes whose methods are walked, each on a way of its own, where it is not known of which of them an object is."""

PICKED_CLASSES = 8
"""From more classes than that something else is picked than what does one of several ways to train."""

# What a name is made of

ASKED_DEPTH = 8
"""How deep a condition is looked into: terms are trees, and each level may double the questions."""

COMPARED_PARTS = 200
"""How many parts of two names are looked at before they are taken to differ."""

TERM_PARTS = 500
"""How many terms in a term are asked whether they are of some kind."""

LOSS_DEPTH = 6
"""How deep a loss is looked into for what it was added up from: losses are sums of weighted sums of means."""

PARAMETERS_DEPTH = 5
"""How deep the arguments of an optimizer are looked into for the model whose parameters they are."""

ANNOTATION_TEXT = 200
"""Characters of a quoted annotation that is parsed: longer ones are no types that a value is made of."""

# Code that is read without being walked

DATA_DEPTH = 4
"""Data sets inside data sets; deeper ones are taken to share nothing out."""

REACH_DEPTH = 2
"""Imports of imports in whose classes a method may be the program's own."""

# Exceptions

HANDLER_LITERALS = 6
"""Literals that say who comes to a handler; where it takes more, each rank may have failed for itself."""

# Comparison of two traces

ATTEMPT_STEPS = 12_000
"""For one attempt from a place where two ranks diverge until they meet: a tenth of a second. The longest that was
measured in a script that a person wrote took 10,700."""

PAIRED_STEPS = 1500
"""Up to here an attempt knows on which ways it passed the other halves of what it began with; in a longer one places
are reached on more ways than are kept, and what it passed is taken to be such a half on all of them."""

ATTEMPTS_AT_A_PLACE = 2
"""Attempts at a place that may fail for length before it is left, with a note that the comparison was cut short."""

COMPARISON_STEPS = 200_000
"""For one comparison: beyond, no further attempt is begun."""

FORKS = 1_000
"""Decisions after one another in one attempt: each takes a few frames of our own."""

WITNESS_STEPS = 6000
"""For the question whether both ranks can come to where they diverge: beyond, both are taken to come there."""

WITNESSES_STEPS = 60_000
"""For all such questions of one comparison: a replay costs as much as an attempt, and there are many."""

BLAME_ROUNDS = 12
"""Comparisons of one trace, each with one more fault of a series set aside: people write no longer series of guards."""

VISITS = 2
"""How often two ranks may stand at the same two places in one attempt: once more than that adds nothing."""

OPEN_WAYS = 4
"""Path conditions that are kept of a place that was passed on some ways as the other half of another."""

QUESTION_PAIRS = 6
"""Pairs of questions, one of each rank's, of which it is asked whether their answers go together."""

DECISIONS_BESIDE = 8
"""Decisions on a way that fails, beside which it is looked whether the two ranks meet."""

SURER_WAYS = 16
"""Decisions on a way that fails by what a configuration says, beside which a surer failure is looked for."""

LARGE_TRACE = 1500
"""Nodes of a trace beyond which failures that all ranks share are left out of it, with a note."""

UNKNOWN_GROUPS = 4
"""Groups of unknown members for which a trace is compared once more, as if each were the world."""

# Rungs: how finely values, rounds and calls are told apart; a walk that reaches its limit begins again coarser


@dataclass(frozen=True)
class Precision:
    """One rung.

    ``alternatives``: of one value; ``rounds``: iterations of unknown number that are walked; ``repeats``: a function
    that these ranks have called before is walked again, instead of doing once more what it did.
    """

    alternatives: int
    rounds: int
    repeats: bool = True


EXACT = Precision(LEAVES, FOR_ITERATIONS)
COARSER = (Precision(FEW_LEAVES, FEW_ITERATIONS), Precision(1, 1, repeats=False))
"""The rungs below, in order: few alternatives, then one joined value, one round, and no function twice."""


class _Present(threading.local):
    precision: Precision = EXACT


_present = _Present()


def precision() -> Precision:
    """The rung on which this thread walks."""
    return _present.precision


@contextmanager
def at(rung: Precision) -> Iterator[None]:
    """Walk on another rung inside."""
    before, _present.precision = _present.precision, rung
    try:
        yield
    finally:
        _present.precision = before
