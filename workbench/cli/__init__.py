"""The command line: picks the command, imports what it needs late, and turns errors into one clear sentence."""

from __future__ import annotations

import sys
from collections.abc import Sequence

EXIT_BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    from workbench.cli.parser import parse

    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parse(given)
    from workbench.cli.errors import explained

    try:
        return int(options.command(options))
    except BrokenPipeError:
        # Whoever read our output has gone, as `head` does; there is nobody left to tell.
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        sentence = explained(error)
        if sentence is None:
            raise
        print(sentence, file=sys.stderr)
        return EXIT_BAD_INPUT
