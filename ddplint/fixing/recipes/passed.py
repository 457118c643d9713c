"""Whether what one function sets on an object is there on an object of the same name in another."""

from __future__ import annotations

import libcst as cst

from ddplint.fixing.code.scopes import own_nodes
from ddplint.fixing.code.site import Site
from ddplint.source.tree import dotted


def is_set_here(site: Site, attribute: cst.Attribute) -> bool:
    """Whether an attribute that the file assigns somewhere is one of the object that the site sees under that name.

    It is where the site's own scope of the name assigns or reads it too, or hands the object to a function that sets
    it. Of two functions whose parameters happen to be called the same, one says nothing about the other.
    """
    name = dotted(attribute)
    root = name.partition(".")[0]
    found = site.scopes.lookup(root, site.node) if root else None
    if found is None or root == "self":
        return True
    scope, bindings = found
    if any(_is_star(scope, binding.node) for binding in bindings):
        return False
    setters = [target for target, _ in site.scopes.attributes.get(name, ())]
    if not setters or isinstance(scope, cst.Module) or any(_in(site, root, scope, target) for target in setters):
        return True
    mentions = (node for node in own_nodes(scope) if isinstance(node, cst.Attribute))
    return any(dotted(node) == name for node in mentions) or _handed_on(site, scope, root, setters)


def _is_star(scope: cst.CSTNode, param: cst.CSTNode) -> bool:
    return isinstance(scope, cst.FunctionDef) and param in (scope.params.star_arg, scope.params.star_kwarg)


def _in(site: Site, root: str, scope: cst.CSTNode, target: cst.BaseExpression) -> bool:
    there = site.scopes.lookup(root, target)
    return there is not None and there[0] is scope


def _handed_on(site: Site, scope: cst.CSTNode, root: str, setters: list[cst.BaseExpression]) -> bool:
    """Whether the scope calls one of the functions that set the attribute, with the object."""
    functions = {site.tree.function(target) for target in setters} - {None}
    calls = (node for node in own_nodes(scope) if isinstance(node, cst.Call))
    given = (call for call in calls if any(dotted(argument.value) == root for argument in call.args))
    return any(site.local_function(call.func) in functions for call in given)
