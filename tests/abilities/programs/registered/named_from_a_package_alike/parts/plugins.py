import importlib


def find_all():
    for name in ("scoring", "naming"):
        importlib.import_module(f".{name}", package="parts.tasks")
