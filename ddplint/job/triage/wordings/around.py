"""What schedulers and launchers say, signs of life, and lines that are about something outside of the job."""

from __future__ import annotations

import re

AROUND: tuple[tuple[str, str, str], ...] = (
    (
        "time-limit",
        "TIME LIMIT|ime limit|TIMEOUT|TERM_RUNLIMIT|alltime|allclock|runtime limit|run time limit|wall clock|wall time",
        r"\bTIMEOUT {1,12}\d+:\d+\b|CANCELLED AT \S+ DUE TO TIME LIMIT|DUE TO TIME ?LIMIT|TERM_RUNLIMIT|[Ww]alltime[^\n]{0,30}exceeded|exceeded (?:its |the )?(?:wall ?clock|wall ?time|run ?time) limit|[Tt]ime limit (?:reached|exceeded)|DeadlineExceeded|JobState=TIMEOUT",
    ),
    (
        "node-failed",
        "NODE FAIL|NODE_FAIL|NodeLost|NodeNotReady|ode failure|NodeDied|marked dead|is DOWN|NotReady",
        r"^\S+ +NotReady\b|DUE TO NODE FAIL\w*|NODE_FAIL|NodeLost|NodeNotReady|[Nn]ode failure (?:on\b|\w+\d)|\bnode \S+ is DOWN\b|NodeDiedError|has been marked dead",
    ),
    (
        "preempted",
        "PREEMPT|reempt|re-empt|nterruption",
        r"[Ss]pot (?:instance )?interruption|\bPreemptionError\b|\b(?:got|was|were|been|being) [Pp]re-?empted\b|DUE TO PREEMPTION|\bPREEMPTED\b|\b[Pp]reempted\b(?!/|,? or\b|,? died)|[Pp]reempt(?:ing|ion) (?:job|pod|notice|signal|container)",
    ),
    (
        "evicted",
        "Evicted|evicted|low on resource|DeadlineExceeded",
        r"\bEvicted\b|The node was low on resource|pod (?:was )?evicted|DeadlineExceeded",
    ),
    ("task-failed", "TASK FAILURE", r"CANCELLED AT \S+ DUE TO TASK FAILURE"),
    ("requeued", "REQUEUE", r"DUE TO (?:JOB )?REQUEUE"),
    (
        "cancelled",
        "CANCELLED|cancelled by|deleted at request",
        r"[Jj]ob deleted at request of|\*\*\* (?:JOB|STEP) \S+ ON \S+ CANCELLED AT|CANCELLED by \d+|[Jj]ob (?:was )?cancell?ed by",
    ),
    (
        "aborted-step",
        "Job step aborted|srun: error",
        r"srun: Job step aborted|srun: error: \S+ task\S* [\d,-]+: Terminated",
    ),
    ("shut-down", "Horovod has been shut down", r"Horovod has been shut down"),
    (
        "returned",
        "a non-zero exit|exited with non|has been aborted",
        r"a non-zero exit code\. Per user|processes? exited with non|the job has been aborted",
    ),
    ("asked-to-stop", "Terminated", r"(?:^|[\])\\>])\s*Terminated\s*$"),
    (
        "asked-to-stop",
        "death signal|got signal|received by PID |] Signal: |SystemExit: ",
        r"^SystemExit: (?:143|-15)\b|[Rr]eceived \d+ death signal|SignalException: Process \d+ got signal: \d+|\*\*\* SIG(?:TERM|INT|HUP) [^\n]*received by PID \d+|\] Signal: (?:Terminated|Interrupt|Hangup)\b",
    ),
    (
        "stop",
        "closing signal|Killing subprocess|via signal|via Signals|Received SIG|Received signal|SIGTERM|KeyboardInterrupt|ignalException|signal 15",
        r"(?:closing|via) signal SIG\w+|\bsigkill_handler\] Killing subprocess|via Signals\.SIG\w+|Received (?:SIGTERM|SIGINT|signal 15)|SignalException|^KeyboardInterrupt|(?:got|caught|received) (?:signal 15|SIGTERM)",
    ),
)
"""Kind, words and pattern; the first that matches a line counts."""

RESTARTED = re.compile(
    r"attempts? left; will restart worker group|Restarting worker group|[Rr]estart(?:ing)? (?:attempt|count)[ =:#]*\d+|restart_count=[1-9]"
)
"""Lines with which a launcher begins the next attempt."""

ERROR = re.compile(
    r"^[\s>`'\"*]*(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Failure|Exit)\b(?!: 0\b)(?:\(\w+\))?:? ?|\b(?:ERROR|CRITICAL|FATAL)\b|^\s*(?:[\w./-]+: )?(?:[Ff]atal|[Ee]rror): "
    r"|^ErrorMessage \"|\bUnhandled exception(?:: | <class | in thread )|[\]|>:-] (?:\w+\.)*[A-Z]\w*(?:Error|Exception): "
)
"""A line that calls itself an error, whatever it is about."""

GRAVE = re.compile(r"^\s*\[?[EF](?:\d{3,4} \d\d:\d\d:\d\d[.\d]* +(?:\d+ +)?\w+\.(?:cpp|cc|h):\d+| \w+\.cpp:\d+)\]")
"""A line that a logger of C++ calls an error, whatever it is about."""

UNDERSTOOD_BY_NOBODY = re.compile(
    r"\b(?:[Ff]ail(?:ed|ure)|FAIL(?:ED|URE)|[Ff]atal|[Aa]bort(?:ed|ing|:)|[Cc]rash(?:ed)?|[Uu]nexpectedly|[Pp]anic(?:ked)?)(?![\w=])(?!: 0)"
    r"|\b[Uu]nhandled exception\b|^[\s>*]*(?:An )?[Ee]rror (?:[a-z]+ing|in|while|when|at|during|from|occurred)\b"
)
"""A line that speaks of a failure in words that no row has."""

NOT_POSSIBLE = re.compile(
    r"\b(?:[Uu]nable to|[Cc]ould not|[Cc]annot |[Nn]o such file or directory|[Pp]ermission denied|[Rr]efused"
    r"|[Ll]ost (?:communication|connection|contact)|waiting to start: |UNAVAILABLE|DEADLINE_EXCEEDED)"
)
"""Words that healthy programs use as well: what they say counts where nothing comes behind it."""

PROGRESS = re.compile(
    r"(?i)(?<![-\w./%])(?:epoch|step|iter(?:ation)?|update|global_step|batch(?!=))\b['\"]?[\s:=#\[(]*\d"
    r"|(?<![-\w])(?:\w+_)?loss\b['\"]?[\s:=]+-?\d|\d(?:it/s|s/it)\b|\d+/\d+ \[\d+:\d\d"
)
"""What a program says while it gets on. Settings are none of it: ``--epochs 2``, ``max_steps=9``, ``Num epochs = 3``."""

SUMMED_UP = re.compile(r"\s*(?:#|wandb:)")
"""How lines begin that sum up a run, or stand above a table of its results: they are no step."""

STEPS = ("epoch", "step", "iter", "batch", "update", "loss", "it/s", "s/it", " [")
"""Small letters of which a line of progress holds some."""

ENDED = re.compile(
    r"(?i)\b(?:training|train|fine-?tuning|run|job|fit|evaluation|experiment|all epochs|worker group|program|script|pipeline)\b.{0,24}?"
    r"\b(?:finished|completed?|done|succeeded|ended successfully)\b(?!\s*(?:epoch|step|\d))|\b(?:finished|completed|done with) (?:the )?(?:training|fine-?tuning|run|job)\b"
    r"|`?Trainer\.fit`? stopped: `max_(?:epochs|steps|time)|\bexit(?:ed)?(?: with)?(?: code| status)? 0\b|^SystemExit: 0\b|JobState=COMPLETED|\ball done\b"
)
"""What a program says when it comes to its end."""

RANK_ENDED = re.compile(
    r"(?i)^\W*(?:finished|done|completed?|exiting|leaving)\W{1,3}(?:on )?rank\W{0,3}(\d{1,7})\W*$"
    r"|\brank\W{0,3}(\d{1,7})\W{1,3}(?:is |has |: )?(?:finished|done|completed|exiting)\W*$"
)
"""What one rank says when it comes to its end."""

RANK_CODE = re.compile(
    r"\b[Rr]ank (\d{1,7}) (?:status failed cmd .*? code"
    r"|(?:crashed|failed|exited|died|ended|terminated),? (?:with )?(?:exit ?)?code:?) (-?\d{1,3})\b(?: log (\S+))?"
)
"""What a launcher says of a rank that ended with a code, and where its log is."""

ENDS = ("finish", "complet", "done", "succe", "ended", "stopped", "exit", "leaving")
"""Small letters of which such a line holds some."""

OUTSIDE = re.compile(
    r"(?i)wandb|tensor ?board|mlflow|comet(?:_ml|\.com)|neptune|hugg?ing ?face|hf\.co|hf_hub|hub\.|https?[:(]|httpsconnection|urllib3|requests\.|aiohttp|grpc|telemetry|statsd|prometheus"
    r"|\bs3\b|boto|\bgcs(?:fs)?\b(?! at address)|azure(?!ml)|docker|kubelet|slack|ssh:|jupyter(?!-)|dashboard|metrics? (?:server|exporter)|\bignored\b|pmi2_kvs_get"
)
"""Lines about a service that is no part of the job: its connections tell nothing of the ranks'."""
