"""Flight Recorder dumps: what each rank had enqueued in each group, and who keeps the others waiting.

``load`` → ``reading`` → ``folding`` → ``groups`` → ``comparing`` → ``waiting`` → ``jams`` → ``saying``; ``collecting``
does all of it. Nothing here needs torch. Nothing in a dump is believed: numbers may be texts, lists may be anything.
"""
