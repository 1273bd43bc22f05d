from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from workbench.core.values import Prices
from workbench.models.catalogue import list_price, list_prices
from workbench.models.wire.endpoint import Endpoint
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.live import (
    ModelEntry,
    Models,
    cost_note,
    endpoint_of,
    load_models,
    missing,
    warnings,
    with_model,
)
from workbench.scenarios.loader import parse_scenario
from workbench.scenarios.models import is_live

ENTRY = """
[[model]]
name = "local"
wire = "openai"
model = "smol"
base_url = "http://models.example/v1"
key_env = "LOCAL_KEY"
prices = { input = 1.0, output = 2.0 }
context_window = 4096
max_tokens = 50
temperature = 0.5
stream = false
extra = { seed = 1, nested = { a = [1] } }
"""


def models(tmp_path: Path, text: str = ENTRY, *, trusted: bool = True) -> Models:
    file = tmp_path / "models.toml"
    file.write_text(text)
    return load_models(file, trusted=trusted)


def endpoint(model: str, known: Models | None = None, *, tools: str = "[]", typed_url: str = "") -> Endpoint:
    scenario = parse_scenario(f'goal = "x"\ntools = {tools}\n[model]\n{model}', "x.toml")
    return endpoint_of(scenario, known or Models(), typed_url=typed_url)


def problem(model: str, known: Models | None = None, *, tools: str = "[]") -> str:
    with pytest.raises(ScenarioError) as caught:
        endpoint(model, known, tools=tools)
    return str(caught.value)


# ---------------------------------------------------------------- models.toml


def test_no_file_is_no_models(tmp_path: Path) -> None:
    assert load_models(tmp_path / "models.toml").entries == ()


def test_what_the_file_says_is_what_is_asked(tmp_path: Path) -> None:
    found = endpoint('use = "local"', models(tmp_path))
    assert found == Endpoint(
        wire="openai", model="smol", base_url="http://models.example/v1", name="local", key_env="LOCAL_KEY",
        key_needed=True, max_tokens=50, context_window=4096, temperature=0.5, stream=False,
        extra={"seed": 1, "nested": {"a": [1]}}, prices=Prices(input=1.0, output=2.0),
    )  # fmt: skip


def test_the_file_in_the_readme_is_one_and_names_every_key(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    text = readme.partition("```toml\n[[model]]")[2].partition("```")[0]
    known = models(tmp_path, f"[[model]]{text}")
    assert endpoint('use = "local"', known).key_needed
    words = set(re.findall(r"\w+", text))
    assert set(ModelEntry.model_fields) <= words


def test_the_scenario_goes_first(tmp_path: Path) -> None:
    given = 'use = "local"\nname = "other"\nmax_tokens = 9\nretries = 0\nprices = { input = 3.0, output = 4.0 }'
    found = endpoint(given, models(tmp_path))
    assert (found.model, found.max_tokens, found.retries, found.context_window) == ("other", 9, 0, 4096)
    assert found.prices == Prices(input=3.0, output=4.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[model]]\nname = "a"\nwire = "openai"', "models.toml:1: model[0].model: is missing"),
        ('[[model]]\nname = "a"\nwire = "open"\nmodel = "m"', 'models.toml:3: model[0].wire: must be "openai", "anthropic" or "ollama"'),
        ('[[model]]\nname = "a"\nwire = "ollama"\nmodle = "m"', 'models.toml:4: model[0]: unknown key "modle"; did you mean "model"?'),
        ('[[model]]\nname = "openai"\nwire = "openai"\nmodel = "m"', "models.toml:2: model[0].name: the name 'openai' is taken already"),
        ('[[model]]\nname = "a:b"\nwire = "openai"\nmodel = "m"', "models.toml:2: model[0].name: the name 'a:b' has a colon in it"),
        ('[[model]]\nname = "a"\nwire = "openai"\nmodel = "m"\nbase_url = "h:80"', "models.toml:5: model[0].base_url: must begin with http://"),
        ('[[model]]\nname = "a"\nwire = "openai"\nmodel = "m"\nbase_url = "http://me:sk-1@h"', "holds a name or a password; keys come from the environment"),
        ('[[model]]\nname = "a"\nwire = "openai"\nmodel = "m"\nbase_url = "http://h/v1?key=x"', "must be a plain address"),
        ('[[model]]\nname = "a"\nwire = "openai"\nmodel = "m"\nkey = "sk-1"', 'unknown key "key"'),
        ("[[model]\n", "models.toml:1: is not TOML"),
        (ENTRY + ENTRY, "models.toml:16: model[1].name: the name 'local' is taken already"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        models(tmp_path, text)
    assert said in str(caught.value)


# ---------------------------------------------------------------- scenarios


@pytest.mark.parametrize(("use", "live"), [("scripted", False), ("human", False), ("openai", True), ("local", True)])
def test_which_models_are_live(use: str, live: bool) -> None:
    assert is_live(parse_scenario(f'goal = "x"\n[model]\nuse = "{use}"', "x.toml")) is live


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ('use = "opnai"', 'model.use: there is no model "opnai"; did you mean "openai"?'),
        ('use = "openai"', "model.name: is missing"),
        ('use = "openai"\nname = "m"\nbase_url = "http://u:p@h"', "model.base_url: holds a name or a password"),
        ('use = "openai"\nname = "m"\nbase_url = "http://h:port"', "model.base_url: is no address"),
        ('use = "openai"\nname = "m"\ntool_choice = "ad"', 'there is no tool choice "ad"; did you mean "add"?'),
        ('use = "ollama"\nname = "m"\ntool_choice = "required"', "the ollama wire cannot be made to call a tool"),
    ],
)
def test_what_cannot_be_asked_is_said_before_it_is(model: str, said: str) -> None:
    assert said in problem(model, tools='["add"]')


def test_a_mistake_is_said_with_its_line_in_the_scenario(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text('goal = "x"\n[model]\nuse = "nobody"')
    with pytest.raises(ScenarioError) as caught:
        endpoint_of(parse_scenario(file.read_text(), str(file)), Models(), str(file))
    assert f"{file}:3: model.use" in str(caught.value)


def test_each_wire_has_an_address_and_a_key_of_its_own() -> None:
    openai, anthropic, ollama = (endpoint(f'use = "{wire}"\nname = "m"') for wire in ("openai", "anthropic", "ollama"))
    assert (openai.base_url, openai.key_env, openai.key_needed) == ("https://api.openai.com/v1", "OPENAI_API_KEY", True)
    assert (anthropic.base_url, anthropic.key_env) == ("https://api.anthropic.com", "ANTHROPIC_API_KEY")
    assert (ollama.key_env, ollama.key_needed) == ("", False)


# ---------------------------------------------------------------- where keys go

OPENAI = 'use = "openai"\nname = "m"\nbase_url = "{}"'


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/v1", "http://localhost/v1", "http://[::1]:1/v1", "https://api.openai.com/v1"]
)
def test_a_key_goes_to_its_vendor_and_to_this_machine(url: str) -> None:
    assert endpoint(OPENAI.format(url)).key_env == "OPENAI_API_KEY"


@pytest.mark.parametrize(
    "url",
    ["https://evil.example/v1", "https://api.openai.com.evil.example/v1", "http://api.openai.com/v1", "http://127.0.0.1.evil.example/", "https://evil.example/api.openai.com"],
)  # fmt: skip
def test_a_key_goes_nowhere_that_only_a_scenario_names(url: str) -> None:
    found = endpoint(OPENAI.format(url))
    assert (found.key_env, found.key_needed) == ("", False)
    assert "put it into models.toml, or use --base-url" in found.no_key_because
    assert endpoint(OPENAI.format(url), typed_url=url).key_env == "OPENAI_API_KEY"


def test_a_key_goes_to_an_address_of_ones_own_models(tmp_path: Path) -> None:
    known = models(tmp_path)
    assert endpoint(OPENAI.format("http://models.example/v1"), known).key_env == "LOCAL_KEY"
    assert endpoint('use = "local"\nbase_url = "http://evil.example"', known).key_env == ""


def test_a_folder_that_is_not_trusted_says_nothing_about_keys(tmp_path: Path) -> None:
    known = models(tmp_path, trusted=False)
    found = endpoint('use = "local"', known)
    assert found.key_env == ""
    assert "workbench trust" in found.no_key_because
    text = ENTRY.replace("http://models.example/v1", "https://api.openai.com/v1")
    assert endpoint('use = "local"', models(tmp_path, text, trusted=False)).key_env == "OPENAI_API_KEY"


# ---------------------------------------------------------------- another model


def test_another_model_takes_nothing_of_the_one_before() -> None:
    text = """
    goal = "x"
    [model]
    use = "openai"
    name = "m"
    base_url = "http://h/v1"
    temperature = 0.5
    prices = { input = 1.0, output = 1.0 }
    [[model.reply]]
    text = "hi"
    """
    scenario = parse_scenario(text, "x.toml")
    model = with_model(scenario, "ollama:llama3.2:3b").model
    assert (model.use, model.name, model.base_url, model.prices, model.temperature) == (
        "ollama",
        "llama3.2:3b",
        None,
        None,
        0.5,
    )
    assert len(model.reply) == 1
    assert with_model(scenario, "", "http://other/v1").model.base_url == "http://other/v1"
    assert with_model(scenario, "local").model.use == "local"


@pytest.mark.parametrize(
    ("choice", "url", "said"),
    [
        ("gemini:pro", "", '--model gemini:pro: needs the form WIRE:NAME with the wire "openai", "anthropic" or "ollama"'),
        ("openai:", "", "needs the form WIRE:NAME"),
        ("openai", "", "needs the model's name, as in openai:NAME"),
        ("openai:m", "ftp://h", "--base-url ftp://h: must begin with http://"),
    ],
)  # fmt: skip
def test_what_no_model_can_be(choice: str, url: str, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        with_model(parse_scenario('goal = "x"', "x.toml"), choice, url)
    assert said in str(caught.value)


# ---------------------------------------------------------------- prices


def test_a_list_price_counts_at_the_vendors_own_address_only() -> None:
    found = endpoint('use = "anthropic"\nname = "claude-sonnet-4-5-20250929"')
    assert (found.prices, found.priced_on) == (
        Prices(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75),
        "2026-10-16",
    )
    assert endpoint('use = "anthropic"\nname = "claude-sonnet-4-5"\nbase_url = "http://h"').prices is None


def test_every_list_price_is_one() -> None:
    for wire, known in list_prices().items():
        for model, price in known.items():
            assert list_price(wire, model) is price  # type: ignore[arg-type]
            assert 0 < price.prices.input < price.prices.output
            assert date(2026, 1, 1) < date.fromisoformat(price.on)
            assert price.source
            assert price.prices.upto is None or price.prices.upto >= 200_000


def test_an_unknown_price_is_said() -> None:
    found = endpoint('use = "ollama"\nname = "m"')
    assert "the cost is unknown, not 0" in cost_note(found)
    assert cost_note(endpoint('use = "ollama"\nname = "m"\nprices = { input = 0.0, output = 0.0 }')) == ""


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    given: Any = missing(endpoint('use = "openai"\nname = "m"'))
    assert given == ["no key: set OPENAI_API_KEY", "no price: the cost of a run is unknown"]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert missing(endpoint('use = "openai"\nname = "gpt-5.4"')) == []
    assert "no context_window" in missing(endpoint('use = "ollama"\nname = "m"'))[0]


def said_before(model: str, limits: str = "limits = { steps = 20 }") -> tuple[str, ...]:
    scenario = parse_scenario(f'goal = "x"\n{limits}\n[model]\n{model}', "x.toml")
    return warnings(endpoint_of(scenario, Models()), scenario.limits)


def test_what_is_to_be_known_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    said = said_before('use = "openai"\nname = "m"')
    assert said[0] == "no key: set OPENAI_API_KEY"
    assert "the cost is unknown, not 0" in said[1]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert said_before('use = "openai"\nname = "gpt-5.4"') == ()


@pytest.mark.parametrize(
    ("limits", "endless"),
    [
        ("", True),
        ("limits = { failures = 3, tool_calls = 5 }", True),
        ("limits = { seconds = 60 }", False),
        ("limits = { cost = 0.5 }", False),
    ],
)
def test_a_run_that_no_limit_ends_is_told_before_anything_is_sent(
    limits: str, endless: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    said = said_before('use = "openai"\nname = "gpt-5.4"', limits)
    assert [sentence.partition(":")[0] for sentence in said] == ["no limit ends this run"] * endless
