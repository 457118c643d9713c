"""What ranks say of each other, of the way between them, and of how they found each other."""

from __future__ import annotations

NETWORK: tuple[tuple[str, str, str], ...] = (
    # the fabric
    ("completion", "ot completion ", r"[Gg]ot completion (?:from peer[^\n]*?(?:status|error)[ =]*\d+|with error)"),
    (
        "fabric",
        "IBV_EVENT|async event|port error|local catastrophic|IBV_WC",
        r"IBV_EVENT_\w+|[Gg]ot async (?:fatal )?event|local catastrophic error|IBV_WC_\w+(?<!SUCCESS)\b",
    ),
    (
        "fabric",
        "retry count|completion with error|error on |o modify QP",
        r"[Tt]ransport retry count(?:er)? exceeded|[Ss]end completion with error|[Rr]emote (?:access|operation) error on \w+:\d|[Ff]ailed to modify QP",
    ),
    ("fabric", "OFI poll failed", r"OFI poll failed [^\n]*(?<!CANCELED\))$"),
    ("fabric", "ibv_|UCX |ndpoint ", r"ibv_\w+ failed|UCX +(?:ERROR|FATAL)|[Ee]ndpoint (?:timeout|is down)"),
    (
        "remote",
        "ncclRemoteError|remote process exited",
        r"ncclRemoteError|remote process exited or there was a network error",
    ),
    ("peer-late", "EI0002|EI0006|EI0004", r"EI000[246]: [^\n]*"),
    (
        "peer-late",
        "to join the rendezvous",
        r"Expected \d+ threads to join the rendezvous, but (?:not all|only \d+) of them arrived",
    ),
    ("peer-late", "DeepEP", r"DeepEP (?:dispatch|combine|notify|error)[ :][^\n]*timeout[ ,]"),
    (
        "peer-late",
        "ocket times out|otify register",
        r"[Gg]etting socket times out|[Nn]otify register (?:times out|has not received)",
    ),
    (
        "oneccl",
        "CCL_ERROR|oneCCL|ccl::",
        r"\|CCL_ERROR\||oneCCL:? [^\n]*(?:error|fail|timeout|exception)|ccl::\w*(?:exception|error)",
    ),
    (
        "remote",
        "another task died|RPC to coordination",
        r"indicates that another task died|Failed to send RPC to coordination service",
    ),
    (
        "remote",
        "eartbeat",
        r"(?:/task:(?P<ranks>\d+) )?heartbeat timeout\. This indicates that the remote|stopped sending heartbeats|missed \d+ heartbeats|[Hh]eartbeat (?:timeout (?:reached|exceeded|expired)|timed out)",
    ),
    ("system", "ncclSystemError|nhandled system error", r"ncclSystemError|[Uu]nhandled system error"),
    ("internal", "ncclInternalError", r"ncclInternalError"),
    ("nccl-gave-up", "[Async thread", r"NCCL INFO \S+:\d+ -> [1-7] \[Async thread\]"),
    (
        "socket",
        "socketPoll|socketProgress|socketStart|socketTry|Socket recv failed|Socket send failed|Call to recv|Call to send",
        r"socket(?:StartConnect|TryAccept)[^\n]*|socketProgress[^\n]*(?:closed|failed|error)|socketPollConnect[^\n]*|Socket (?:recv|send) failed|Call to (?:recv|send)[^\n]* (?:failed|returned)",
    ),
    (
        "closed",
        "onnection closed|onnection reset|onnection was reset|roken pipe|roken Pipe|ocket closed",
        r"\bSocket closed\b|Connection closed by (?:remote )?peer|Connection (?:was )?reset by peer|[Bb]roken [Pp]ipe",
    ),
    (
        "remote",
        "lost communication with a remote",
        r"\b(?:ORTE|PRTE|PMIx|mpirun|mpiexec|prterun) [^\n]*lost communication with a remote daemon",
    ),
    ("peer-host", "Remote daemon:", r"^\s*Remote daemon:.* on node \S+"),
    ("closed", "unexpectedly disconnected", r"communication peer process has unexpectedly disconnected"),
    ("peer-host", "Peer host:", r"^\s*Peer host:\s+\S+"),
    (
        "mesh",
        "connectFullMesh",
        r"connectFullMesh fai",
    ),
    ("init", "Fatal error in ", r"Abort\(\d+\)[^\n]*: Fatal error in P?MPI_Init\w*: "),
    ("mpi", "Fatal error in ", r"Abort\(\d+\)(?: on node (?P<rank>\d+))?[^\n]*: Fatal error in (?:\w+)"),
    ("mpi", "aborting the MPI job", r"The Open MPI [^\n]* is aborting the MPI job"),
    ("waited", "Application timeout caused", r"Application timeout caused pair closure"),
    # how they found each other
    (
        "address",
        "gai error|not known| resolution|servname| resolve",
        r"gai error|Name or service not known|failure in name resolution|nodename nor servname|can't resolve '(?!\(null)|(?<!null\)': )[Nn]ame does not resolve|[Cc]ould not resolve host",
    ),
    ("rendezvous", "Rendezvous", r"Rendezvous(?:Timeout|Connection|Closed|State|Graceful\w*)(?:Error|Exit)"),
    ("join", "clients joined", r"waiting for clients\. (?P<count>\d+)/(?P<world>\d+) clients joined"),
    (
        "join",
        "imed out initializing",
        r"Timed out initializing process group.*?world_size=(?P<world>\d+), worker_count=(?P<count>\d+)",
    ),
    (
        "init",
        "Barrier timed out|cluster registration failed",
        r"Barrier timed out[^\n]*(?:PjRT_Client_Connect|Wait_for_all_tasks)|cluster registration failed",
    ),
    ("peer-late", "Barrier timed out", r"Barrier timed out"),
    ("peer-late", "o heartbeat |of heartbeats", r"\b[Nn]o heartbeat (?:for|from) |\black of heartbeats\b"),
    (
        "join",
        "store based barrier",
        r"Waiting in store based barrier.*?world_size=(?P<world>\d+), worker_count=(?P<count>\d+)",
    ),
    ("init", "to meet rendezvous", r"[Ff]ailed to meet rendezvous '(?!step|train|eval)\w+'"),
    ("init", "imed out initializing", r"Timed out initializing process group"),
    (
        "init",
        "ncclUniqueId|application crash on rank 0",
        r"setting up NCCL communicator and retr(?:ie|ei)ving ncclUniqueId.*(?:[Tt]imeout|but got error)|possible application crash on rank 0 or a network set ?up issue",
    ),
    (
        "connect",
        "client socket has |TCP client failed",
        r"client socket has (?:timed out|failed to connect)|TCP client failed to connect",
    ),
    (
        "connect",
        "o route to host|Call to connect|onnection refused|connect() timed out|Connect timeout",
        r"No route to host|Call to connect returned|Connection refused|connect\(\) timed out|\bConnect timeout \[",
    ),
    (
        "store",
        "got 0 bytes|recvValue failed|sendBytes failed|recvVector",
        r"[Ff]ailed to recv, got 0 bytes|recv(?:Value|Vector\w*) failed|sendBytes failed",
    ),
    ("store", "HTTP request failed|HTTP GET request failed", r"\bHTTP (?:GET |PUT )?request failed\b"),
    (
        "ran",
        "num_nodes_waiting|exit barrier|failed to shutdown the rendezvous",
        r"num_nodes_waiting|exit barrier|failed to shutdown the rendezvous",
    ),
    # what is set wrongly
    ("port", "EADDRINUSE|ddress already in use", r"EADDRINUSE|[Aa]ddress already in use"),
    ("no-listen", "failed to listen on any", r"failed to listen on any local network address"),
    (
        "interface",
        "interface found|Unable to find address for: ",
        r"Unable to find address for: (\S+)|[Nn]o socket interface found",
    ),
    ("environment", " expected, but not set", r"environment variable (\w+) expected, but not set"),
    ("device-held", "last training process", r"Maybe the last training process is running"),
    (
        "no-program",
        "command not found|can't open file|execve(): |execvp error|: line ",
        r": command not found\s*$|can't open file '|: line \d+: [^:]{1,200}: (?:No such file or directory|Permission denied)\s*$|error: execve\(\): [^\n]*: No such file|execvp error on file \S+ \(No such file",
    ),
    (
        "not-started",
        "unable to |not enough slots",
        r"\b(?:ORTE|PRTE|mpirun|mpiexec|prterun) [^\n]*unable to (?:reliably )?(?:start|launch|find)|not enough slots available in the system",
    ),
    (
        "not-started",
        "rt container|rt the container|te container|te the container|container start|import docker image|pull image|ContainerError",
        r"(?:couldn't|could not|[Ff]ailed to) (?:start|create) (?:the )?container(?:d task)?\b|container start failed|[Ff]ailed to (?:import docker|pull) image|\b(?:Create|Run)ContainerError\b",
    ),
    (
        "unplaced",
        "FailedScheduling|ImagePull|Insufficient | slots, but only|OutOf",
        r"\bOutOf(?:[\w.-]+/gpu|cpu|memory|pods)\b|requires \d+ slots, but only \d+ are available|FailedScheduling|ImagePullBackOff|ErrImagePull|Insufficient \S+/gpu",
    ),
    ("duplicate", "uplicate GPU", r"Duplicate GPU detected"),
    (
        "ungrouped",
        "has not been initialized|is not initialized|is not been init|has not initialized",
        r"[Dd]efault process group has not been initialized|[Pp]rocess group (?:is not|has not been) initialized",
    ),
    ("regrouped", "group twice", r"trying to initialize the default process group twice"),
    (
        "device",
        "invalid device ordinal|No CUDA GPUs|No CUDA-capable|no CUDA-capable",
        r"invalid device ordinal|No CUDA GPUs are available|[Nn]o CUDA-capable device",
    ),
    (
        "driver",
        "river version is insufficient|orward compatibility|o kernel image|rovided PTX|UNSUPPORTED_PTX",
        r"CUDA driver version is insufficient|forward compatibility was attempted|no kernel image is available|the provided PTX was compiled|UNSUPPORTED_PTX",
    ),
    (
        "versions",
        "ersion mismatch|ersions mismatch|ismatched |undefined symbol|version `",
        r"^(?![^\n]*(?:NCCL INFO|[Ww]arn))[^\n]*(?:version `[^']+' not found|undefined symbol: )|(?:NCCL|CUDA|[Dd]river|[Ll]ibrary) version(?:s)? mismatch|[Mm]ismatched (?:NCCL|CUDA) version",
    ),
    (
        "usage",
        "ncclInvalidUsage|ncclInvalidArgument|invalid usage|invalid argument",
        r"ncclInvalid(?:Usage|Argument)|NCCL error[^\n]{0,120}[,:] invalid (?:usage|argument)\b",
    ),
    (
        "backend",
        "built in|No backend type",
        r"[Dd]istributed package doesn't have \w+ built in|No backend type associated with device type",
    ),
    (
        "group-size",
        "orld_size",
        r"[Ww]orld_size [^\n]{0,60}(?:less than|greater than|not divisible|does not match|must be)",
    ),
)
"""Kind, words and pattern; the first that matches a line counts."""
