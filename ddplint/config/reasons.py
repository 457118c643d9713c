"""Why a finding is as sure as it is: the reasons, what each allows at most, and its sentence.

A reason is a fact about one finding, not about its rule. ``docs/pages/certainty.md`` lists them with the rates that
were measured on findings judged by hand.
"""

from __future__ import annotations

import enum

from ddplint.config.levels import Confidence


class Because(enum.Enum):
    """A reason for certainty. The value is its name in settings and reports; ``level`` is the most that it allows."""

    RANK_DECIDES = "rank-decides"
    AS_WRITTEN = "as-written"

    WRAPPED_MODEL = "wrapped-model"
    OWN_VALUE = "own-value"
    FAILURE = "failure"
    TIMING = "timing"
    DURATION = "duration"
    SHARED_PATH = "shared-path"
    SEVERAL_NODES = "several-nodes"
    SEVERAL_GPUS = "several-gpus"
    OPTION = "option"
    LIBRARY = "library"
    SHARDED_MODEL = "sharded-model"
    CONTENT = "content"
    ARGUMENT = "argument"
    ORDER_OF_USE = "order-of-use"
    NAMED_SO = "named-so"
    NOT_WALKED = "not-walked"
    DIFFERENT_JOBS = "different-jobs"
    LIMIT_REACHED = "limit-reached"
    UNSEEN_CALLERS = "unseen-callers"
    COARSE = "coarse"

    JOBS_CUT = "jobs-cut"
    PERHAPS_RANK = "perhaps-rank"
    CHECK_FAILS = "check-fails"
    MEETS_LATER = "meets-later"
    PERHAPS_SILENT = "perhaps-silent"
    SHARED_STORAGE = "shared-storage"
    CONFIGURED = "configured"
    PERHAPS_SHORT = "perhaps-short"
    PADDING = "padding"
    BACKEND = "backend"
    ONE_PROCESS = "one-process"
    MISSING_IMPORT = "missing-import"

    @property
    def level(self) -> Confidence:
        """The most that a finding with this reason can be."""
        return _MEANING[self][0]

    @property
    def text(self) -> str:
        """The reason as the rest of a sentence that begins with "because"."""
        return _MEANING[self][1]


_HIGH, _MEDIUM, _LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW
_MEANING: dict[Because, tuple[Confidence, str]] = {
    Because.RANK_DECIDES: (_HIGH, "who the rank is decides, and the operation is an explicit call"),
    Because.AS_WRITTEN: (_HIGH, "it follows from what is written, with nothing assumed of other code"),
    Because.WRAPPED_MODEL: (_MEDIUM, "whether a pass through a wrapped model communicates depends on model and mode"),
    Because.OWN_VALUE: (_MEDIUM, "each rank decides by what it alone sees, and ranks may happen to see the same"),
    Because.FAILURE: (_MEDIUM, "it takes a failure that only some of the ranks have"),
    Because.TIMING: (_MEDIUM, "it depends on which rank is faster"),
    Because.DURATION: (_MEDIUM, "how long the work takes is not known"),
    Because.SHARED_PATH: (_MEDIUM, "whether all ranks mean the same path is not certain"),
    Because.SEVERAL_NODES: (_MEDIUM, "it takes more than one node"),
    Because.SEVERAL_GPUS: (_MEDIUM, "it takes several GPUs that each process sees"),
    Because.OPTION: (_MEDIUM, "it depends on an option of the program"),
    Because.LIBRARY: (_MEDIUM, "it rests on what a library does by itself"),
    Because.SHARDED_MODEL: (_MEDIUM, "it is so where the model is sharded, which is chosen elsewhere"),
    Because.CONTENT: (_MEDIUM, "whether ranks hold something different there is not certain"),
    Because.ARGUMENT: (_MEDIUM, "an argument that it depends on is not known"),
    Because.ORDER_OF_USE: (_MEDIUM, "it depends on what is called later, which is not all seen"),
    Because.NAMED_SO: (_MEDIUM, "what a value is was concluded from its name"),
    Because.NOT_WALKED: (_MEDIUM, "it was read off the code: no walk of a program says that ranks come there"),
    Because.DIFFERENT_JOBS: (_MEDIUM, "ranks have different jobs here, and few of their groups are known"),
    Because.COARSE: (_MEDIUM, "the program is too large to be analysed as finely as others: it was analysed coarsely"),
    Because.LIMIT_REACHED: (_MEDIUM, "the analysis came to a limit, so one side was followed further than the other"),
    Because.UNSEEN_CALLERS: (_MEDIUM, "not all callers were followed, and those left out may do it otherwise"),
    Because.JOBS_CUT: (_LOW, "ranks have different jobs here, and the analysis came to a limit among them"),
    Because.PERHAPS_RANK: (_LOW, "the condition perhaps depends on the rank, and perhaps not"),
    Because.CHECK_FAILS: (_LOW, "the other ranks leave by a check that fails, which is an error of its own"),
    Because.MEETS_LATER: (_LOW, "one side only evaluates, and may meet the others in what follows"),
    Because.PERHAPS_SILENT: (_LOW, "what is decided may be no communication at all"),
    Because.SHARED_STORAGE: (_LOW, "on shared storage all ranks see the same files"),
    Because.CONFIGURED: (_LOW, "a configuration file decides whether it communicates"),
    Because.PERHAPS_SHORT: (_LOW, "nothing says that the work is longer than the wait allows"),
    Because.PADDING: (_LOW, "whether samples are repeated depends on the size of the data set"),
    Because.BACKEND: (_LOW, "the backend is not known"),
    Because.ONE_PROCESS: (_LOW, "the program is started as one process"),
    Because.MISSING_IMPORT: (_LOW, "the file imports something that is not there"),
}
