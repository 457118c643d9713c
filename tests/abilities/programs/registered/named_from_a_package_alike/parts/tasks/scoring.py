from parts.meeting import score
from parts.registry import register


@register("score")
def scoring(model, loader):
    return score(model, loader)


@register("count")
def counting(model, loader):
    return len(loader)
