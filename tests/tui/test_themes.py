from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from workbench.tui.themes import ROLES, ThemeError, contrast, load_theme, load_themes, parse_theme, role_defaults

FOLDER = Path(__file__).parents[2] / "themes"
INK = (FOLDER / "ink.toml").read_text()
SHIPPED, PROBLEMS = load_themes([FOLDER])
TEXT_ROLES = [role for role in ROLES if role != "rule"]
TINT = 0.16
"""Share of a state's colour in the header that it tints."""


def colour(theme: Theme, name: str) -> Color:
    return Color.parse(theme.variables.get(f"wb-{name}") or getattr(theme, name))


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast(Color.parse("#000"), Color.parse("#fff")) == pytest.approx(21)
    assert contrast(Color.parse("#777777"), Color.parse("#ffffff")) == pytest.approx(4.478, abs=0.001)
    assert contrast(Color.parse("#949eac"), Color.parse("#15181d")) == pytest.approx(6.6, abs=0.05)


def test_the_shipped_themes_load() -> None:
    assert PROBLEMS == []
    assert set(SHIPPED) == {"ink", "paper", "contrast"}
    assert [SHIPPED[name].dark for name in ("ink", "paper", "contrast")] == [True, False, True]


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_every_text_of_a_shipped_theme_can_be_read(name: str) -> None:
    theme = SHIPPED[name]
    texts = ["foreground", "primary", *TEXT_ROLES]
    ratios = {
        (text, ground): contrast(colour(theme, text), colour(theme, ground))
        for text, ground in product(texts, ("background", "surface", "panel"))
    }
    for state in ("wait", "held", "go", "error", "past"):
        header = colour(theme, "background").blend(colour(theme, state), TINT)
        for text in ("foreground", "quiet", state):
            ratios[text, f"header tinted {state}"] = contrast(colour(theme, text), header)
    worst = min(ratios, key=lambda pair: ratios[pair])
    assert ratios[worst] >= (7 if name == "contrast" else 4.5), (worst, ratios[worst])


@pytest.mark.parametrize("name", sorted(BUILTIN_THEMES))
def test_roles_can_be_read_over_themes_that_lack_them(name: str) -> None:
    theme = BUILTIN_THEMES[name]
    roles = role_defaults(theme, SHIPPED["ink"], SHIPPED["paper"])
    assert set(roles) == {f"wb-{role}" for role in ROLES}
    ground = Color.parse(theme.to_color_system().generate()["background"])
    if ground.ansi is not None:
        return  # the terminal's own colours: nothing to compute
    for role in TEXT_ROLES:
        assert contrast(Color.parse(roles[f"wb-{role}"]), ground) >= (4.0 if role == "quiet" else 4.1), role


def test_textual_draws_its_own_widgets_in_the_same_colours() -> None:
    ink = SHIPPED["ink"]
    generated = ink.to_color_system().generate()
    assert generated["text-muted"] == ink.variables["wb-quiet"]
    assert ink.error == ink.variables["wb-error"]


BROKEN = [
    (
        INK.replace('"#949eac"', '"#94zz"', 1),
        'ink.toml, line 13: roles.quiet = "#94zz" must be a colour such as "#8ab8ff"',
    ),
    (INK.replace('"#949eac"', "12", 1), 'ink.toml, line 13: roles.quiet = 12 must be a colour such as "#8ab8ff"'),
    (INK.replace('"#949eac"', '"transparent"', 1), 'line 13: roles.quiet = "transparent" must be an opaque colour'),
    (INK.replace('"#949eac"', '"ansi_red"', 1), 'line 13: roles.quiet = "ansi_red" must be an opaque colour'),
    (INK.replace('"#949eac"', '"auto"', 1), 'line 13: roles.quiet = "auto" must be a colour such as'),
    (INK.replace("quiet ", "quite ", 1), "line 13: quite does not belong in [roles]; did you mean quiet?"),
    (INK.replace("dark = true", 'dark = "yes"'), 'line 3: dark = "yes" must be true or false'),
    (INK.replace("dark = true\n", ""), "ink.toml: dark is missing; it must be true or false"),
    (INK.replace('"ink"', '"My Theme"'), 'line 2: name = "My Theme" must be lower case letters, digits and hyphens'),
    (INK + "\ndark = true\n", "dark does not belong in [roles]; it belongs at the top, before any [table]"),
    ("quiet = '#123456'\n" + INK, "line 1: quiet does not belong in the top of a theme; it belongs in [roles]"),
    (INK + "\n[fonts]\n", "line 26: fonts does not belong in the top of a theme"),
    (INK + '\nquiet = "#000000"\n', "ink.toml: Cannot overwrite a value"),
    (INK.replace("[roles]", "[roles"), "ink.toml: "),
]


@pytest.mark.parametrize(("text", "sentence"), BROKEN, ids=[sentence for _, sentence in BROKEN])
def test_a_bad_theme_is_one_sentence_that_says_where_and_what(text: str, sentence: str) -> None:
    with pytest.raises(ThemeError) as caught:
        parse_theme(text, "ink.toml")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bad_files_are_reported_and_good_ones_load(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("name = ")
    (tmp_path / "bytes.toml").write_bytes(b"name = '\xff'")
    (tmp_path / "good.toml").write_text("\ufeff" + INK.replace('"ink"', '"mine"'), encoding="utf-8")
    (tmp_path / "twice.toml").write_text(INK.replace('"ink"', '"mine"'))
    themes, problems = load_themes([tmp_path, tmp_path / "missing"])
    assert list(themes) == ["mine"]
    assert len(problems) == 3
    assert "bad.toml" in problems[0]
    assert "not UTF-8" in problems[1]
    assert 'name = "mine" is also the name in good.toml' in problems[2]


def test_the_first_folder_wins(tmp_path: Path) -> None:
    (tmp_path / "ink.toml").write_text(INK.replace("#15181d", "#000001"))
    themes, _ = load_themes([tmp_path, FOLDER])
    assert themes["ink"].background == "#000001"
    assert "paper" in themes


def test_a_file_that_is_not_there_is_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(ThemeError, match=r"none\.toml"):
        load_theme(tmp_path / "none.toml")
