"""What the statements and calls of a program do, as far as somebody asks: the words of events."""

from __future__ import annotations

from ddplint.util.word import Word


class Effect(Word):
    """What an event does. Effects on files are words of the knowledge tables: ``effect`` of a row."""

    # all ranks of a group together
    COLLECTIVE = "collective"
    POINT_TO_POINT = "point_to_point"
    INIT = "init"
    TEARDOWN = "teardown"
    LAUNCH = "launch"
    WAIT = "wait"
    SAVE_ALL_RANKS = "save_all_ranks"
    SET_FOR_ALL = "set_for_all"

    # models, engines, optimizers
    CONSTRUCT = "construct"
    FORWARD = "forward"
    INNER_FORWARD = "inner_forward"
    BACKWARD = "backward"
    FRAMEWORK_BACKWARD = "framework_backward"
    STEP = "step"
    OPTIMIZER_STEP = "optimizer_step"
    RATE_STEP = "rate_step"
    OPTIMIZER = "optimizer"
    """An optimizer is made, for the parameters that it is given."""
    CLIP = "clip"
    """Gradients are made shorter, by their norm."""
    MODE = "mode"
    ARMS_REDUCTION = "arms_reduction"
    LACKING = "lacking"
    BEHIND_WRAPPER = "behind_wrapper"
    """What only the model behind a wrapper has is asked of the wrapper; ``LACKING`` is a sign of one process, too."""
    OWN_BUFFER = "own_buffer"
    """A buffer of a module gets what each rank has worked out of its own samples."""
    NEW_STATE = "new_state"
    """A model, an optimizer or the like gets a state that was kept."""
    COPIED = "copied"
    """A model is copied: the copy is taken for the model itself."""
    PART = "part"
    """A part of a wrapped model is used in its forward pass."""
    APART = "apart"
    """A module with something to train is called where other modules are wrapped, and no wrapped one calls it."""
    FREEZE = "freeze"
    """A parameter, or a module, is switched to not being trained."""
    THAW = "thaw"
    """A parameter, or a module, is switched to being trained."""
    REPLACED = "replaced"
    """A module of a model that is wrapped already gets another module or parameter in place of one that it had."""

    # data
    LOADER = "loader"
    SAMPLER = "sampler"
    RANKED = "ranked"
    SHARE = "share"
    """A sequence is cut by the rank (``paths[rank::size]``)."""
    SET_EPOCH = "set_epoch"
    ITERATE = "iterate"
    FETCH = "fetch"
    """One element is taken by ``next``."""
    GENERATOR = "generator"
    TRAINED_ON = "trained_on"
    """A method hands a loader to a framework, which trains on it as it is."""
    LOCAL_VALUE = "local_value"
    RATIO = "ratio"
    """What a rank has for itself is divided by a length."""
    SEED = "seed"
    """A generator of the process is seeded, or put into a state that was kept."""

    # files, and what stands elsewhere
    WRITE = "write"
    APPEND = "append"
    CREATE_DIR = "create_dir"
    FILL = "fill"
    """What is put into a file that is open."""
    DELETE = "delete"
    MOVE = "move"
    COPY = "copy"
    LINK = "link"
    READ = "read"
    OPEN = "open"
    LIST = "list"
    EXISTS = "exists"
    DOWNLOAD = "download"
    UPLOAD = "upload"
    BUILD = "build"
    TRACKER = "tracker"
    TEMPNAME = "tempname"
    PROCESS = "process"
    LOCK = "lock"
    RUN_FOLDER = "run_folder"
    NODE_FOLDER = "node_folder"
    RUN_USE = "run_use"
    SAVE_ANY = "save_any"
    LOG = "log"

    # the process and its devices
    ALONE = "alone"
    BIND_DEVICE = "bind_device"
    USE_DEVICE = "use_device"
    NAME_DEVICE = "name_device"
    SET_ENV = "set_env"
    TIMEOUT = "timeout"
    TIMER = "timer"

    # the language
    RAISE = "raise"
    UNCALLED = "uncalled"
    UNSET = "unset"
    UNENTERED = "unentered"
    NO_YIELD = "no_yield"
    OPAQUE = "opaque"
    """A call that could not be followed."""


Effects = frozenset[Effect]

TRAINS: Effects = frozenset({Effect.FORWARD, Effect.BACKWARD, Effect.STEP})
"""What a wrapped model does with the others in every step."""

MEETS: Effects = TRAINS | {Effect.COLLECTIVE, Effect.CONSTRUCT, Effect.SAVE_ALL_RANKS}
"""What waits for the other ranks while the job runs; its beginning and its end are not among it."""

PUTS: Effects = frozenset({Effect.WRITE, Effect.APPEND, Effect.COPY, Effect.MOVE, Effect.LINK})
"""What puts a file somewhere."""

MAKES: Effects = PUTS | {Effect.CREATE_DIR, Effect.DOWNLOAD}
"""What puts a file or a folder somewhere."""

CHANGES: Effects = MAKES | {Effect.DELETE}
"""What changes what is on a disk."""

SENDS: Effects = frozenset({Effect.TRACKER, Effect.UPLOAD, Effect.PROCESS})
"""What changes something that is no file of this machine, or nobody knows what."""
