"""From `[[fault]]` tables to the faults of a run, and the catalogue with what a user's file adds to it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath

from workbench.core.faults import FaultError, fault_from
from workbench.core.values import Fault
from workbench.faults.catalogue import Catalogue, armed, named, read_entries, shipped
from workbench.scenarios.errors import Path, Problem, dotted
from workbench.scenarios.locate import locate
from workbench.scenarios.schema import FaultTable, Scenario


def fault_of(table: FaultTable, catalogue: Catalogue | None = None) -> Fault:
    """The fault that the table spells out or names in the catalogue, by default the packaged one. Raises FaultError."""
    given = table.model_dump(exclude_none=True, exclude_defaults=True)
    name = given.pop("use", None)
    if name is None:
        return fault_from(given)
    return armed(named(name, shipped() if catalogue is None else catalogue), given)


def unknown_faults(scenario: Scenario, catalogue: Catalogue | None = None) -> Iterator[tuple[Path, str]]:
    """The faults that cannot be armed, as path and sentence: mostly names that are not in the catalogue."""
    for index, table in enumerate(scenario.fault):
        try:
            fault_of(table, catalogue)
        except FaultError as error:
            yield ("fault", index, *error.path), error.message


# ---------------------------------------------------------------- the catalogue


@dataclass(frozen=True, slots=True)
class LoadedCatalogue:
    """The faults there are by name, and what is wrong with those that cannot be used."""

    entries: Catalogue
    problems: tuple[Problem, ...] = ()


def load_catalogue(file: FilePath | None = None) -> LoadedCatalogue:
    """The packaged catalogue with the entries of `file` added; one of the same name takes the other's place.

    A file that is not there adds nothing. Raises nothing: what cannot be used is reported, the rest is there.
    """
    try:
        text = "" if file is None else file.read_bytes().decode("utf-8-sig")
        data = tomllib.loads(text)
    except FileNotFoundError:
        return LoadedCatalogue(shipped())
    except OSError as error:
        return _unreadable(file, f"cannot be read: {error.strerror or error}")
    except UnicodeDecodeError as error:
        return _unreadable(file, f"is not UTF-8: byte 0x{error.object[error.start]:02x}")
    except (ValueError, RecursionError) as error:
        return _unreadable(file, f"is not TOML: {error}")
    entries, wrong = read_entries(data)
    places = locate(text) if wrong else None
    problems = [
        Problem(str(file), places.line(error.path) if places is not None else 0, dotted(error.path), error.message)
        for error in wrong
    ]
    return LoadedCatalogue({**shipped(), **entries}, tuple(problems))


def _unreadable(file: FilePath | None, message: str) -> LoadedCatalogue:
    return LoadedCatalogue(shipped(), (Problem(str(file), 0, "", message),))
