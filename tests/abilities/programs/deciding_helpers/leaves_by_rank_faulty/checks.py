"""What is looked at before a run."""


def is_chosen(first):
    return first


def may_go_on(first):
    if is_chosen(first):
        return True
    return False
