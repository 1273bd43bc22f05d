"""The command line: picks the command, imports what it needs late, and turns errors into one clear sentence."""

from __future__ import annotations

import sys
from collections.abc import Sequence

EXIT_FAILED, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    from workbench.cli.output import failure, prepare, silence
    from workbench.cli.parser import parse

    prepare()
    options = parse(list(sys.argv[1:] if arguments is None else arguments))
    try:
        code = int(options.command(options))
        if failed := failure():
            print(failed, file=sys.stderr)
            return code or EXIT_FAILED
        return code
    except BrokenPipeError:
        silence()
        return 1
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as error:
        from workbench.cli.errors import explained

        sentence = explained(error)
        if sentence is None:
            raise
        print(sentence, file=sys.stderr)
        return EXIT_BAD_INPUT
