"""argparse that says in one line what is wrong, with the option that may have been meant."""

from __future__ import annotations

import argparse
from typing import NoReturn

_UNKNOWN = "unrecognized arguments: "


class Parser(argparse.ArgumentParser):
    """Prints no usage where an option is wrong: that is twenty lines around the one that matters."""

    def error(self, message: str) -> NoReturn:
        """Print the message and where help is, and exit with 2."""
        if message.startswith(_UNKNOWN):
            words = message.removeprefix(_UNKNOWN).split()
            option = next((word for word in words if word.startswith("-")), words[0])
            message = f"unknown option '{option}'{self._near(option)}"
        self.exit(2, f"error: {message} ('{self.prog} --help' lists the options)\n")

    def _near(self, option: str) -> str:
        known = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
        import difflib

        near = difflib.get_close_matches(option.partition("=")[0], known, n=1, cutoff=0.65)
        return f"; did you mean '{near[0]}'?" if near else ""
