"""What is looked at before a run."""


def enough(count):
    return count > 2


def may_go_on(first):
    if enough(4):
        return True
    return first
