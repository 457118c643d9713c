"""The version of ddplint, and where it is at home: set both addresses when there is a release."""

__version__ = "0.1.0"

REPOSITORY = "https://git.example.org/example/ddplint"
"""Where the sources are, without a slash at the end. Its last two parts are the name of the action."""
DOCUMENTATION = "https://ddplint.example.org/"
"""Where the documentation is published, with a slash at the end."""


def rule_address(code: str) -> str:
    """The page of a rule on the site."""
    return f"{DOCUMENTATION}rules/{code}/"
