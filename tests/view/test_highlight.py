from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.view.nasty import rows_of, texts
from workbench.view.entries import Span
from workbench.view.highlight import MOST, Language, highlight, language_of

LANGUAGES: list[Language] = ["", "json", "toml", "python", "markdown"]


def test_strings_and_numbers_of_json_have_their_colours_and_keys_are_plain() -> None:
    assert highlight('{"order": "A-1042", "amount": -62.5, "ok": true}', "json") == [
        (
            Span('{"order": '),
            Span('"A-1042"', "result"),
            Span(', "amount": '),
            Span("-62.5", "changed"),
            Span(', "ok": true}'),
        )
    ]


def test_other_languages() -> None:
    assert highlight("[a]\nx = 1  # why\n", "toml") == [
        (Span("[a]", bold=True),),
        (Span("x = "), Span("1", "changed"), Span("  "), Span("# why", "quiet", italic=True)),
        (),
    ]
    assert highlight('def f():\n    return "a"', "python")[1] == (
        Span("    "),
        Span("return", bold=True),
        Span(" "),
        Span('"a"', "result"),
    )
    assert highlight("# Refunds\n\nin **full**", "markdown") == [
        (Span("# Refunds", bold=True),),
        (),
        (Span("in "), Span("**full**", bold=True)),
    ]


@given(texts() | st.text(st.sampled_from("{}[]\":,#*`\n -1a\\'="), max_size=40), st.sampled_from(LANGUAGES))
def test_the_text_stays_as_it_is_line_for_line(text: str, language: Language) -> None:
    lines = highlight(text, language)
    assert "\n".join(rows_of(lines)) == text
    assert not any("\n" in span.text for line in lines for span in line)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_text_that_would_take_long_has_no_colours(language: Language) -> None:
    text = '"a" ' * (MOST[language] // 4 + 1)
    assert highlight(text, language) == [(Span(text),)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('{"a": 1}', "json"),
        ('\n [1, "x"]', "json"),
        ("{curly} prose", ""),
        ("[1, 2", ""),
        ("{" * 5000, ""),
        ("[limits]\nsteps = 4\n", "toml"),
        ('a = "x"\nb = 2', "toml"),
        ("x = 1", ""),
        ("Order = A-1042\nnot toml", ""),
        ("import os\n\nprint(os.name)\n", "python"),
        ("def f(x):\n    return x", "python"),
        ("import duties of 5 percent\napply", ""),
        ("from the desk of Ada import is closed", ""),
        ("# Refunds\n\nBroken: in full.", "markdown"),
        ("- one\n- two", "markdown"),
        ("just words", ""),
        ("", ""),
    ],
)
def test_a_language_is_told_only_where_there_is_no_doubt(text: str, language: Language) -> None:
    assert language_of(text) == language


def test_the_name_of_a_file_says_it_before_its_text() -> None:
    assert language_of("just words", "notes/a.MD") == "markdown"
    assert language_of('{"a": 1}', "a.toml") == "toml"
    assert language_of("just words", "a.txt") == ""


@given(texts())
def test_telling_a_language_never_fails(text: str) -> None:
    assert language_of(text) in LANGUAGES


def test_lexers_are_not_imported_before_there_is_something_to_colour() -> None:
    code = (
        "import sys, workbench.headless, workbench.view.desk, workbench.view.bars, workbench.view.panes\n"
        "loaded = [name for name in sys.modules if name.split('.')[0] in ('pygments', 'textual', 'rich')]\n"
        "sys.exit(str(loaded) if loaded else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
