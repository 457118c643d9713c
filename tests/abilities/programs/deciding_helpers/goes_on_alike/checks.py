"""What is looked at before a run."""


def is_strange(value):
    return value is None


def may_go_on(first):
    if is_strange(first):
        first = False
    return True
