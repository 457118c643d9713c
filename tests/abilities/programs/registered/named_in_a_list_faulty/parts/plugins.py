from importlib import import_module

MODULES = ("parts.tasks.scoring", "parts.tasks.naming")


def find_all():
    for name in MODULES:
        import_module(name)
