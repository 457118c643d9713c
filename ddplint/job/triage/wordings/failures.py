"""Failures that a process has by itself: its memory, its device, its program."""

from __future__ import annotations

FAILURES: tuple[tuple[str, str, str], ...] = (
    # memory
    (
        "gpu-memory",
        "out of memory|OutOfMemoryError",
        r"(?:CUDA|HIP|NPU|XPU|cuda|hip)(?: error:)? out of memory|OutOfMemoryError",
    ),
    (
        "gpu-memory",
        "OUT_OF_MEMORY|RESOURCE_EXHAUSTED|OOM when|ResourceExhausted|ErrorMemoryAllocation|ErrorOutOfMemory",
        r"CUDA_ERROR_OUT_OF_MEMORY|(?:cuda|hip)Error(?:MemoryAllocation|OutOfMemory)|RESOURCE_EXHAUSTED: (?:Out of|Ran out of|Failed to allocate|Error allocating|Attempting to)|OOM when allocating|ResourceExhaustedError",
    ),
    ("gpu-memory", "out of memory", r"(?:Cuda|HIP|Hip) failure (?:\d+ )?'out of memory'"),
    ("gpu-memory", "STATUS_ALLOC_FAILED", r"CU(?:BLAS|DNN|SPARSE)_STATUS_ALLOC_FAILED"),
    ("gpu-memory", "Failed to CUDA |Failed to cuda", r"Failed to (?:CUDA|cuda) ?(?:[cm]alloc|host alloc|Alloc)\w*"),
    ("shm", "creating shared memory segment", r"Error while creating shared memory segment"),
    (
        "shm-denied",
        "ermission denied|not permitted",
        r"(?:shm_open|/dev/shm)[^\n]*(?:Permission denied|not permitted)",
    ),
    (
        "shm",
        "hared memory",
        r"insufficient shared memory|out of shared memory|[Uu]nable to (?:open|write to|mmap|allocate) shared memory(?!.*Too many open)",
    ),
    (
        "shm",
        "/dev/shm|No space left on device",
        r"/dev/shm.*(?:No space left|too small|full|not enough)|No space left on device.*(?:shm|torch_\d)|torch_\d.*No space left on device",
    ),
    ("shm", "Bus error", r"Bus error"),
    ("shm", "to file </torch_", r"unable to (?:write to|open|mmap|resize) file </torch_\d"),
    ("oom", "oom-kill|oom_kill|invoked oom|OOM Killed|OOM-killed", r"oom[-_]kill|invoked oom-killer|OOM[- ][Kk]illed"),
    (
        "oom",
        "OOMKilled|Out of memory: Kill|TERM_MEMLIMIT|out of memory: Kill",
        r"OOMKilled|Out of memory: Kill(?:ed)? process|Memory cgroup out of memory: Kill|TERM_MEMLIMIT",
    ),
    (
        "oom",
        "OUT_OF_ME|emory limit",
        r"\bOUT_OF_ME(?:MORY|\+)|[Ee]xceeded (?:job |step |the |its )?(?:virtual )?memory limit|memory limit exceeded",
    ),
    (
        "oom",
        "OutOfMemoryDaemon|low on memory|memory usage threshold|memory pressure",
        r"node running low on memory|memory usage threshold|OutOfMemoryDaemon|killed due to memory pressure",
    ),
    (
        "host-memory",
        "bad_alloc|Cannot allocate memory|not enough memory|allocate memory",
        r"std::bad_alloc|Cannot allocate memory|DefaultCPUAllocator: (?:can't allocate|not enough) memory",
    ),
    ("host-memory", "MemoryError", r"^(?:numpy\S*)?MemoryError\b"),
    (
        "limit",
        "Resource temporarily unavailable|can't start new thread|Too many open files",
        r"(?:thread|fork)\b.*Resource temporarily unavailable|can't start new thread|Too many open files",
    ),
    # the disk
    (
        "disk",
        "No space left|quota exceeded|StorageFull|unexpected pos|PytorchStreamWriter",
        r"No space left on device|[Dd]isk quota exceeded|StorageFull|inline_container[^\n]*unexpected pos|PytorchStreamWriter failed writing",
    ),
    # the device
    ("hardware", "ncorrectable ", r"[Uu]ncorrectable (?:ECC|NVLink|error|memory|hardware)"),
    ("hardware", "ardware Error]", r"\[Hardware Error\](?![^\n]*\b[Cc]orrected)"),
    (
        "hardware",
        "CUDA_ERROR_|cudaError",
        r"CUDA_ERROR_(?:CONTAINED|ECC_\w+|NVLINK_\w+|HARDWARE_\w+)|cudaError(?:ECC\w+|NvLink\w+|Hardware\w+|Contained)",
    ),
    ("hardware", "InitAdapter|init_adapter", r"NVRM: (?:RmInitAdapter|rm_init_adapter) failed"),
    ("hardware", "Xid", r"\bXid\b.{0,60}?: \d+"),
    (
        "hardware",
        "fallen off|GPU is lost|device handle for GPU",
        r"fallen off the bus|GPU is lost|Unable to determine the device handle for GPU",
    ),
    ("hardware", "ouble bit|ouble-bit|row remap|Row remap", r"[Dd]ouble[- ]bit ECC|[Rr]ow remap\w* (?:failure|failed)"),
    (
        "hardware",
        "CUDA error: ",
        r"CUDA error: (?:hardware|uncorrectable|device not ready|system not yet initialized|the launch timed out)",
    ),
    ("hardware", "NVLink", r"NVLink[^\n]{0,40}(?:error|fatal|inactive|down)\b"),
    (
        "fabric-manager",
        "to bind NVLink SHARP|abric manager|abric Manager|abricmanager|abricManager|ystem not yet init",
        r"Failed to bind NVLink SHARP|[Ff]abric ?[Mm]anager[^\n]{0,40}(?:not|fail)|system not yet initialized",
    ),
    # the program on the device
    (
        "assert",
        "Assertion `",
        r"\.(?:cu|cuh|hip)\b.*Assertion `[^`]*` failed|block: \[\d+,\d+,\d+\], thread: .* Assertion `",
    ),
    (
        "cuda",
        "CUDA error: |HIP error: ",
        r"(?:CUDA|HIP) error: (?!out of memory|invalid device ordinal|no CUDA|no kernel image|the provided PTX)\w[\w -]+",
    ),
    (
        "cuda",
        "Memory access fault|page fault|amdgpu",
        r"Memory access fault by GPU|amdgpu[^\n]*(?:page fault|GPU reset|ring \S+ timeout)",
    ),
    ("cuda", "HSA_STATUS_ERROR", r"HSA_STATUS_ERROR_\w+"),
    (
        "cuda",
        "CUDA_ERROR_|cudaError|hipError",
        r"CUDA_ERROR_(?!OUT_OF_MEMORY|INVALID_DEVICE|NO_DEVICE)[A-Z_]{5,}|(?:cuda|hip)Error(?!OutOfMemory|MemoryAllocation|NoDevice|InvalidDevice)[A-Z]\w+",
    ),
    ("cuda", "Cuda failure|HIP failure|Hip failure", r"(?:Cuda|HIP|Hip) failure (?:\d+ )?'(?!out of memory)[^'\n]+"),
    ("cuda", "peer access is not", r"\bpeer access is not supported between these"),
    ("cuda", "9999: ", r"\bE[EZ]9999: [^\n]*"),
    (
        "cuda",
        "device-side assert|illegal memory access|unspecified launch",
        r"device-side assert(?!ion)|illegal memory access|unspecified launch failure",
    ),
    ("cuda", "_STATUS_", r"CU(?:BLAS|DNN|FFT|SOLVER|SPARSE)_STATUS_(?!ALLOC_FAILED|SUCCESS)[A-Z_]+"),
    ("cuda-above", "kernel errors might", r"(?:CUDA|HIP) kernel errors might be asynchronously reported"),
    ("cuda-generic", "nhandled cuda error", r"[Uu]nhandled cuda error"),
    # the process
    ("crash", "Fatal Python error", r"Fatal Python error: [^\n]+"),
    ("crash", "received by PID ", r"\*\*\* SIG(?:SEGV|ILL|FPE|BUS) [^\n]*received by PID \d+"),
    ("aborted", "received by PID ", r"\*\*\* SIGABRT [^\n]*received by PID \d+"),
    (
        "crash",
        "] Signal: |Caught signal ",
        r"\] Signal: (?!Terminated|Interrupt|Hangup)[A-Z][\w ]+\(\d+\)|Caught signal (?:11|7|8|4)\b",
    ),
    (
        "aborted",
        "End of error message|Process received signal",
        r"\*\*\* (?:Process received signal|End of error message)",
    ),
    (
        "crash",
        "egmentation fault|llegal instruction|loating point exception",
        r"[\])>]\s*Segmentation fault(?: \(core dumped\))?\s*$|^(?:.{0,80}: )?(?:Segmentation fault|Illegal instruction|Floating point exception)\b(?! \(core dumped\)\?)",
    ),
    (
        "crash",
        "double free|corrupted |free(): invalid|malloc(): |stack smashing",
        r"double free or corruption|free\(\): invalid (?:pointer|size)|malloc\(\): |corrupted (?:size|double-linked)|stack smashing detected",
    ),
    (
        "no-number",
        "oss is ",
        r"\b[Ll]oss is (?:nan|NaN|inf|not finite|non-finite)[ ,.:;][^\n]*(?:stop|exit|abort|terminat)",
    ),
    (
        "worker",
        "DataLoader worker",
        r"DataLoader worker \(pid(?:\(s\))? [\d, ]+\) (?:is killed by signal: \w+|exited unexpectedly)[^\n]*",
    ),
    ("unfit", "in loading state_dict", r"\bError\(s\) in loading state_dict for \w+"),
    (
        "unfit-part",
        "size mismatch for |in state_dict: ",
        r"\bsize mismatch for [\w.]+: copying a param|\b(?:Missing|Unexpected) key\(s\) in state_dict: ",
    ),
    (
        "actor",
        "ActorDiedError|RayActorError|WorkerCrashedError|ActorUnavailable",
        r"(?:ActorDiedError|RayActorError|WorkerCrashedError|ActorUnavailableError)",
    ),
    (
        "actor",
        "worker process has died|The actor died|worker died or was killed",
        r"worker process has died|The actor died unexpectedly|worker died or was killed",
    ),
    ("child", "died with <Signals", r"died with <Signals\.SIG\w+: (?P<signal>\d+)>"),
    ("child", "with PID ", r"Child process with PID \d+ terminated with code (?P<code>-?\d+)"),
    ("child", "exits with return code", r"exits with return code = (?P<code>-?[1-9]\d*)"),
    ("child", "xited with exit code|xited with code", r"[Ee]xited with (?:exit )?code (?P<code>-?[1-9]\d*)\b"),
    (
        "child",
        "ommand terminated",
        r"[Cc]ommand terminated (?:by signal (?P<signal>\d+)|with (?:non-zero )?exit (?:code|status) (?P<code>[1-9]\d*))",
    ),
)
"""Kind, words and pattern; the first that matches a line counts."""
