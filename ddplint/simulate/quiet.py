"""Names of methods so common on tensors, arrays, loggers and plots that a call of them is taken to speak to no rank."""

from __future__ import annotations

_TENSORS = """
    abs_ add add_ addcdiv addcdiv_ addcmul addcmul_ addmm allclose amax amin arange argsort argwhere as_strided astype
    bernoulli_ bincount bmm bool broadcast_to byte ceil chunk clamp clamp_ clamp_min clamp_max contiguous copy_ cos cosh
    cumprod cumsum data_ptr deg2rad diag diagonal diff digamma div div_ dot double element_size eq equal erf expand
    expand_as exp_ exponential_ fill_ flatten flip floor floor_divide fmod frac frobenius_norm gather_nd ge gt half
    histc index_add index_add_ index_copy_ index_fill_ index_put_ index_select int inverse is_contiguous is_cuda
    is_floating_point isclose isfinite isinf isnan isneginf isposinf kthvalue le lerp lerp_ log10 log1p log2 logical_and
    logical_not logical_or logical_xor logit logsumexp long lt masked_fill masked_fill_ masked_scatter masked_scatter_
    masked_select matmul maximum median minimum mm mode mul mul_ multinomial nan_to_num nan_to_num_ narrow nbytes ndim
    ndimension ne neg nelement new_empty new_full new_ones new_tensor new_zeros nonzero norm normal_ numel ones_like
    outer pin_memory pow_ prod quantile random_ ravel reciprocal record_stream relu remainder repeat_interleave
    requires_grad_ resize_ retain_grad roll round rsqrt rsub scatter_ scatter_add scatter_add_ sigmoid sign sin sinh
    short softplus sort sqrt_ square stack std sub sub_ sum_to_size swapaxes swapdims t take tan tanh tile tobytes
    to_dense to_sparse topk tril triu trunc type type_as unbind unfold uniform_ unique unsqueeze_ untyped_storage var
    view_as vsplit where xlogy_ zero_ zeros_like
"""
_LOGGERS = "addFilter addHandler fatal getChild getEffectiveLevel hasHandlers isEnabledFor setFormatter setLevel"
_PLOTS = """
    annotate axhline axvline bar barh colorbar errorbar fill_between grid hist hist2d imshow legend plot savefig
    semilogx semilogy set_aspect set_axis_off set_title set_xlabel set_xlim set_xscale set_xticks set_ylabel set_ylim
    set_yscale set_yticks suptitle text tick_params tight_layout twinx
"""
_OTHERS = """
    as_uri hexdigest is_alive memory_allocated max_memory_allocated memory_reserved max_memory_reserved
    reset_peak_memory_stats resolve timestamp total_seconds with_name with_suffix writerow writerows module
"""

QUIET_NAMES: frozenset[str] = frozenset(" ".join((_TENSORS, _LOGGERS, _PLOTS, _OTHERS)).split())
"""``module`` stands for the module inside a wrapper: calling it is how one avoids communication."""
