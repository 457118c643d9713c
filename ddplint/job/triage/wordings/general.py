"""How a process ended, in words that no launcher, library or scheduler has to itself: codes, signals, C++, Rust."""

from __future__ import annotations

GENERAL: tuple[tuple[str, str, str], ...] = (
    (
        "abort",
        "what():|Check failed: |panicked at|Assertion `|Assertion failed|device halted|Exception in device=|ncaught exception: ",
        r"^ *what\(\): |\bAccelerator device halted\b|^Exception in device=\w+:\d+: |\bUncaught exception: <class '|\bCheck failed: |\bpanicked at\b|\.(?:c|cc|cpp|h|hpp):\d+: .*Assertion `.*' failed|^(?:\S+ )?Assertion failed(?: in file|:)",
    ),
    (
        "child",
        "xit code|xit status|xitCode|xit Code|xit_code|xit Status|xited with|ExitCode|eturn code|eturncode|non-zero",
        r"(?:\b[Ee]xit[ _]?(?:[Cc]ode|[Ss]tatus)|[Rr]eturn ?code|non-zero (?:status|code))\b[\"']?(?: of| was| is)?[\s:=(\[]{0,12}(?P<code>-?[1-9]\d{0,2})\b(?!:)",
    ),
    (
        "child",
        "signal|SIGNAL",
        r"\b(?:[Kk]illed|KILLED|[Tt]erminated|[Ee]xited|[Dd]ied|[Cc]rashed|received|signall?ed) (?:[^\n]{0,30} )?(?:signal|SIGNAL):? ?(?P<signal>SIG[A-Z]{3,5}|\d{1,2})\b",
    ),
    (
        "child",
        "SIG",
        r"(?:^[\s\d*]{0,8}|\b(?:[Rr]eceived|[Cc]aught|[Gg]ot|with|by|on) (?:signal )?)(?P<signal>SIG(?:SEGV|ABRT|BUS|ILL|FPE))\b",
    ),
    ("child", "CrashLoopBackOff|Back-off restarting", r"\bCrashLoopBackOff\b|Back-off restarting failed container"),
    ("child", "Error |ContainerCannotRun ", r"^\S+ +\d+/\d+ +(?:Init:)?(?:Error|StartError|ContainerCannotRun) +\d"),
    ("child", "SystemExit: ", r"^SystemExit: (?P<code>[1-9]\d{0,2})\b"),
    ("child", "Failed|failed", r"\bphase:? ?=?Failed\b"),
    ("child", "FAILED ", r"\bFAILED {1,12}(?P<code>[1-9]\d{0,2}):\d+\b"),
)
"""Kind, words and pattern; they count for lines that no other row knows."""
