import importlib

_PLACES = {"score": "parts.meeting"}


def __getattr__(name):
    if name in _PLACES:
        return getattr(importlib.import_module(_PLACES[name]), name)
    raise AttributeError(name)
