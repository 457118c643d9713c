from parts.registry import register


@register("name")
def name(model, loader):
    return type(model).__name__
