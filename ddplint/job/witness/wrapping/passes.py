"""Forward and backward passes of ``DistributedDataParallel``, whose collectives start outside of Python.

FSDP and DeepSpeed call ``torch.distributed`` themselves: their collectives are steps like any other.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ddplint.job.witness.recorder import Recorder, Step
from ddplint.job.witness.wrapping.collectives import Groups
from ddplint.job.witness.wrapping.wrappers import compiling


class Passes:
    """Notes the passes of DDP models. ``armed``: groups of models whose next backward pass reduces gradients."""

    def __init__(self, recorder: Recorder, groups: Groups) -> None:
        self.recorder = recorder
        self.groups = groups
        self.armed: dict[int, Any] = {}
        self.reduced: weakref.WeakSet[Any] = weakref.WeakSet()
        self.rebuilt: weakref.WeakSet[Any] = weakref.WeakSet()

    def wrap_ddp(self, module: ModuleType) -> None:
        """Wrap construction and forward pass; ``module`` is ``torch.nn.parallel.distributed``."""
        model = module.DistributedDataParallel
        model.__init__ = self._step_of(model.__init__, "DDP construction")
        model.forward = self._forward(model.forward)

    def wrap_backward(self, module: ModuleType) -> None:
        """Wrap ``torch.autograd.backward``, which ``Tensor.backward`` calls."""
        owner: Any = module
        owner.backward = self._backward(owner.backward)

    def _step_of(self, call: Callable[..., Any], name: str) -> Callable[..., Any]:
        recorder = self.recorder

        @functools.wraps(call)
        def constructed(model: Any, *args: Any, **kwargs: Any) -> Any:
            step = None
            try:
                group = self.groups.of(kwargs.get("process_group"))
                if group is not None and not getattr(recorder.inside, "step", False):
                    step = recorder.enter(group, name, (), None, recorder.sites.here(sys._getframe(1)))
            except Exception as error:
                recorder.note("trouble", f"{name}: {error!r}")
            if step is None:
                return call(model, *args, **kwargs)
            recorder.inside.step = True
            try:
                result = call(model, *args, **kwargs)
            except BaseException as error:
                recorder.leave(step, error)
                raise
            finally:
                recorder.inside.step = False
            recorder.leave(step)
            return result

        return constructed

    def _forward(self, call: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(call)
        def forward(model: Any, *args: Any, **kwargs: Any) -> Any:
            if compiling():
                return call(model, *args, **kwargs)
            step = self._before(model)
            try:
                result = call(model, *args, **kwargs)
            except BaseException as error:
                if step is not None:
                    self.recorder.leave(step, error)
                raise
            if step is not None:
                self.recorder.leave(step)
            if _trains(model):
                self.armed[id(model.process_group)] = weakref.ref(model)
            return result

        return forward

    def _before(self, model: Any) -> Step | None:
        """Collectives: rank 0's buffers, and once, after the first backward pass, the new order of the gradients."""
        recorder = self.recorder
        try:
            again = model in self.reduced and model not in self.rebuilt and _trains(model)
            if again:
                self.rebuilt.add(model)
            group = self.groups.of(model.process_group)
            loud = model.will_sync_module_buffers() or (again and not model.find_unused_parameters)
            if loud and group is not None:
                return recorder.enter(group, "DDP forward", (), None, recorder.sites.here(sys._getframe(2)))
        except Exception as error:
            recorder.note("trouble", f"DDP forward: {error!r}")
        return None

    def _backward(self, call: Callable[..., Any]) -> Callable[..., Any]:
        recorder = self.recorder

        @functools.wraps(call)
        def backward(*args: Any, **kwargs: Any) -> Any:
            if compiling():
                return call(*args, **kwargs)
            site = recorder.sites.here(sys._getframe(1))
            steps, before = self._reductions(site), recorder.pass_site
            recorder.pass_site = site
            try:
                result = call(*args, **kwargs)
            except BaseException as error:
                for step in steps:
                    recorder.leave(step, error)
                raise
            finally:
                recorder.pass_site = before
            for step in steps:
                recorder.leave(step)
            return result

        return backward

    def _reductions(self, site: Any) -> list[Any]:
        armed, self.armed = self.armed, {}
        steps = []
        for reference in armed.values():
            model = reference()
            try:
                group = None if model is None else self.groups.of(model.process_group)
                if group is not None:
                    self.reduced.add(model)
                    steps.append(self.recorder.enter(group, "DDP backward", (), None, site))
            except Exception as error:
                self.recorder.note("trouble", f"DDP backward: {error!r}")
        return steps


def _trains(model: Any) -> bool:
    torch = sys.modules["torch"]
    return bool(torch.is_grad_enabled() and model.require_backward_grad_sync)
