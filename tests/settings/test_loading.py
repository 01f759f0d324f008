"""From environment, .env and cloche.toml to settings, and the sentence for what is wrong."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from cloche.errors import SettingsError
from cloche.settings import (
    Settings,
    channel_settings_findings,
    ensure_home,
    known_settings,
    load_settings,
)


def refusal(folder: Path, /, **environ: str) -> str:
    """What an operator reads when the settings are refused."""
    with pytest.raises(SettingsError) as caught:
        load_settings(environ, folder)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return str(caught.value)


def test_nothing_written_gives_defaults_that_need_no_account(tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path)
    assert settings.model.provider == ""
    assert settings.memory.store == "local"
    assert settings.plugins is None
    assert settings.home.is_absolute()
    assert settings.source_of("home") == "default"


def test_the_environment_wins_over_dotenv_over_toml_over_the_default(tmp_path: Path) -> None:
    (tmp_path / "cloche.toml").write_text(
        'model_id = "toml"\nowner = "toml"\n[model]\nregion = "toml"\ntimeout_seconds = 7\n'
    )
    (tmp_path / ".env").write_text("MODEL_ID=dotenv\nCLOCHE_OWNER=dotenv\nOTHER=1\n")
    settings = load_settings({"MODEL_ID": "environment", "OTHER": "2"}, tmp_path)
    assert settings.model_id == "environment"
    assert settings.owner == "dotenv"
    assert settings.model.region == "toml"
    assert settings.model.timeout_seconds == 7
    assert settings.model.max_output_tokens == 2048
    assert [
        settings.source_of(key)
        for key in ("model_id", "owner", "model.region", "model.timeout_seconds", "agent")
    ] == ["environment", ".env:2", "cloche.toml:4", "cloche.toml:5", "default"]


def test_the_ids_keep_their_plain_names(tmp_path: Path) -> None:
    settings = load_settings({"MODEL_ID": "a", "VISION_MODEL_ID": "b", "MEMORY_ID": "c"}, tmp_path)
    assert (settings.model_id, settings.vision_model_id, settings.memory_id) == ("a", "b", "c")


def test_the_ids_with_a_prefix_are_refused_with_the_plain_name(tmp_path: Path) -> None:
    assert refusal(tmp_path, CLOCHE_VISION_MODEL_ID="x") == (
        "environment: CLOCHE_VISION_MODEL_ID is no setting (did you mean VISION_MODEL_ID?)."
    )


def test_an_empty_value_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("MODEL_ID=\nCLOCHE_OWNER=Ana\n")
    (tmp_path / "cloche.toml").write_text('model_id = "from toml"\nagent = ""\n')
    settings = load_settings({"MODEL_ID": " ", "CLOCHE_OWNER": ""}, tmp_path)
    assert settings.model_id == "from toml"
    assert settings.owner == "Ana"
    assert settings.agent == "auto"


@pytest.mark.parametrize(
    ("written", "plugins"),
    [("", ()), (" ", ()), ("a", ("a",)), ("a, b,", ("a", "b")), (",", ())],
)
def test_plugins_are_separated_by_commas_and_empty_means_none(
    tmp_path: Path, written: str, plugins: tuple[str, ...]
) -> None:
    assert load_settings({"CLOCHE_PLUGINS": written}, tmp_path).plugins == plugins


def test_plugins_may_be_a_list_in_toml(tmp_path: Path) -> None:
    (tmp_path / "cloche.toml").write_text('plugins = ["a", "b"]\n')
    assert load_settings({}, tmp_path).plugins == ("a", "b")


def test_values_are_taken_without_the_spaces_around_them(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text('CLOCHE_MODEL__API_KEY=" sk-1 "\r\nexport CLOCHE_AGENT=auto\n')
    settings = load_settings({"CLOCHE_MODEL__PROVIDER": "demo\n"}, tmp_path)
    assert settings.model.provider == "demo"
    assert settings.model.api_key == SecretStr("sk-1")


def test_files_may_start_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("CLOCHE_OWNER=José\n", encoding="utf-8-sig")
    (tmp_path / "cloche.toml").write_text('model_id = "小"\n', encoding="utf-8-sig")
    settings = load_settings({}, tmp_path)
    assert (settings.owner, settings.model_id) == ("José", "小")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("CLOCHE_PLUGIN", "CLOCHE_PLUGIN is no setting (did you mean CLOCHE_PLUGINS?)."),
        ("cloche_home", "cloche_home is no setting (did you mean CLOCHE_HOME?)."),
        (
            "CLOCHE_MODEL__PROVIDR",
            "CLOCHE_MODEL__PROVIDR is no setting (did you mean CLOCHE_MODEL__PROVIDER?).",
        ),
        (
            "CLOCHE_MODEL_PROVIDER",
            "CLOCHE_MODEL_PROVIDER is no setting (did you mean CLOCHE_MODEL__PROVIDER?).",
        ),
        (
            "CLOCHE_CHANNELS__TELEGRAM",
            "CLOCHE_CHANNELS__TELEGRAM is no setting (did you mean CLOCHE_CHANNELS__NAME__KEY?).",
        ),
        ("CLOCHE_MODEL", "CLOCHE_MODEL is no setting: set CLOCHE_MODEL__PROVIDER and MODEL_ID."),
        ("CLOCHE_QQQ", "CLOCHE_QQQ is no setting."),
        ("CLOCHE_", "CLOCHE_ is no setting."),
    ],
)
def test_an_unknown_variable_is_refused_with_the_nearest_name(
    tmp_path: Path, name: str, sentence: str
) -> None:
    assert refusal(tmp_path, **{name: "x"}) == f"environment: {sentence}"
    (tmp_path / ".env").write_text(f"\n\n{name}=x\n")
    assert refusal(tmp_path) == f".env:3: {sentence}"


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("ownr = 'x'", "cloche.toml:1: ownr is no setting (did you mean owner?)."),
        (
            "# c\n[model]\n\nprovidr = 'demo'",
            "cloche.toml:4: model.providr is no setting (did you mean model.provider?).",
        ),
        (
            "[modle]\nprovider = 'demo'",
            "cloche.toml:2: modle.provider is no setting (did you mean model.provider?).",
        ),
        ("[modle]", "cloche.toml:1: modle is no setting (did you mean model_id?)."),
        (
            "memory = { stroe = 'x' }",
            "cloche.toml: memory.stroe is no setting (did you mean memory.store?).",
        ),
        (
            "[model]\n'provider'.x = 1",
            "cloche.toml:2: model.provider.x is no setting (did you mean model.provider?).",
        ),
        ("MODEL_ID = 'x'", "cloche.toml:1: MODEL_ID is no setting (did you mean model_id?)."),
        (
            "[channels.a.b]\nc = 'x'",
            "cloche.toml:2: channels.a.b.c is no setting (did you mean channels.name.key?).",
        ),
    ],
)
def test_an_unknown_toml_key_is_refused_with_its_line_and_the_nearest_name(
    tmp_path: Path, toml: str, sentence: str
) -> None:
    (tmp_path / "cloche.toml").write_text(toml)
    assert refusal(tmp_path) == sentence


def test_empty_tables_of_known_groups_are_fine(tmp_path: Path) -> None:
    (tmp_path / "cloche.toml").write_text("[model]\n[channels.web]\n")
    assert load_settings({}, tmp_path) == Settings()


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        (
            "CLOCHE_MODEL__PROVIDER",
            "open ai",
            "must be one of bedrock, anthropic, openai, demo, not 'open ai'.",
        ),
        ("CLOCHE_MODEL__TIMEOUT_SECONDS", "soon", "must be a number, not 'soon'."),
        ("CLOCHE_MODEL__TIMEOUT_SECONDS", "nan", "must be a number, not 'nan'."),
        ("CLOCHE_MODEL__TIMEOUT_SECONDS", "0", "must be more than 0, not '0'."),
        ("CLOCHE_MODEL__TIMEOUT_SECONDS", "601", "must be at most 600, not '601'."),
        ("CLOCHE_MEMORY__RECALL_TOKENS", "1.5", "must be a whole number, not '1.5'."),
        ("CLOCHE_MEMORY__RECALL_RECORDS", "0", "must be at least 1, not '0'."),
        (
            "CLOCHE_MODEL__BASE_URL",
            "localhost:11434",
            "must start with http:// or https://, not 'localhost:11434'.",
        ),
        (
            "CLOCHE_TIME_ZONE",
            "Europe/Olso",
            "must be an IANA time zone (did you mean Europe/Oslo?), not 'Europe/Olso'.",
        ),
        ("CLOCHE_TIME_ZONE", "../etc", "must be an IANA time zone, such as Europe/Oslo,"),
        ("CLOCHE_TIME_ZONE", "Europe", "must be an IANA time zone"),
        ("CLOCHE_LOG_LEVEL", "loud", "must be one of debug, info, warning, error, not 'loud'."),
        ("CLOCHE_HOME", "~nobody-of-that-name/x", "names a person's folder that is not known"),
        ("CLOCHE_STATE__STORE", "x" * 100, f"must be one of local, not '{'x' * 56}...."),
    ],
)
def test_a_wrong_value_is_refused_in_one_sentence_that_names_the_variable(
    tmp_path: Path, name: str, value: str, sentence: str
) -> None:
    told = refusal(tmp_path, **{name: value})
    assert told.startswith(f"environment: {name} {sentence}")
    assert "\n" not in told
    assert told.endswith(".")


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("owner = 3", "cloche.toml:1: owner must be text, not 3."),
        ("plugins = 3", "cloche.toml:1: plugins must be names separated by commas, not 3."),
        ("plugins = [3]", "cloche.toml:1: plugins must be text, not [3]."),
        ("home = 2026-01-01", "cloche.toml:1: home must be text, not datetime.date(2026, 1, 1)."),
        (
            "[memory]\nrecall_records = true",
            "cloche.toml:2: memory.recall_records must be a whole number, not True.",
        ),
        ("[channels.web]\nport = [1]", "cloche.toml:2: channels.web.port must be text."),
    ],
)
def test_a_wrong_type_in_toml_is_refused_with_its_line(
    tmp_path: Path, toml: str, sentence: str
) -> None:
    (tmp_path / "cloche.toml").write_text(toml)
    assert refusal(tmp_path) == sentence


def test_everything_that_is_wrong_is_told_at_once_a_line_each(tmp_path: Path) -> None:
    (tmp_path / "cloche.toml").write_text("ownr = 1\n[model]\nprovider = 'x'\n")
    assert len(refusal(tmp_path, CLOCHE_OWNRE="x", CLOCHE_TIME_ZONE="x").splitlines()) == 4


def test_a_secret_is_never_in_a_refusal_nor_in_what_settings_print(tmp_path: Path) -> None:
    (tmp_path / "cloche.toml").write_text("[model]\napi_key = ['hush-hush']\n")
    assert refusal(tmp_path) == "cloche.toml:2: model.api_key must be text."
    told = refusal(tmp_path, CLOCHE_MODEL__API_KEY="hush-hush", CLOCHE_OWNRE="hush-hush")
    assert "hush" not in told
    (tmp_path / "cloche.toml").unlink()
    settings = load_settings(
        {"CLOCHE_MODEL__API_KEY": "hush-hush", "CLOCHE_CHANNELS__CHAT__TOKEN": "hush-hush"},
        tmp_path,
    )
    assert "hush" not in f"{settings} {settings!r} {settings.model_dump_json()}"
    assert settings.channels["chat"]["token"].get_secret_value() == "hush-hush"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        (".env", b"A=1\nCLOCHE_HOME\n", ".env:2: this line is not NAME=value."),
        (".env", b"A=1\n\n two words\n", ".env:3: this line is not NAME=value."),
        (".env", b"\xff\xfe\n", ".env: this file is not UTF-8; save it as UTF-8."),
        ("cloche.toml", b"\xff", "cloche.toml: this file is not UTF-8; save it as UTF-8."),
        ("cloche.toml", b"a = 1\nb =\n", "cloche.toml: this is not valid TOML: Invalid value"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        load_settings({}, tmp_path)
    assert str(caught.value).startswith(sentence)


def test_a_channel_takes_any_keys_and_a_dash_in_its_name_is_an_underscore(tmp_path: Path) -> None:
    (tmp_path / "cloche.toml").write_text("[channels.web-page]\nport = 8080\nopen = false\n")
    settings = load_settings({"CLOCHE_CHANNELS__WEB_PAGE__SHARED_KEY": "k"}, tmp_path)
    values = {key: each.get_secret_value() for key, each in settings.channels["web-page"].items()}
    assert values == {"port": "8080", "open": "false", "shared_key": "k"}
    assert settings.source_of("channels.web-page.port") == "cloche.toml:2"


def test_settings_of_an_unknown_channel_are_an_error_of_one_set_aside_a_warning(
    tmp_path: Path,
) -> None:
    settings = load_settings(
        {"CLOCHE_CHANNELS__TELEGRM__TOKEN": "t", "CLOCHE_CHANNELS__MATRIX__TOKEN": "t"}, tmp_path
    )
    known = {"console": (), "telegram": ("token",)}
    errors, warnings = channel_settings_findings(settings, known, {"matrix"})
    assert errors == [
        "environment: CLOCHE_CHANNELS__TELEGRM__TOKEN: there is no channel named 'telegrm' "
        "(did you mean telegram?)."
    ]
    assert warnings == [
        "environment: channels.matrix is not used: the channel's plugin is set aside."
    ]


def test_a_key_that_a_channel_does_not_take_is_an_error_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "cloche.toml").write_text(
        "[channels.web-page]\ntokn = 't'\nport = 1\n[channels.bell]\nloudness = 3\n"
    )
    settings = load_settings({"CLOCHE_CHANNELS__WEB_PAGE__ZZ": "1"}, tmp_path)
    known = {"web-page": ("token", "port"), "bell": ()}
    errors, warnings = channel_settings_findings(settings, known, ())
    assert errors == [
        "cloche.toml:5: CLOCHE_CHANNELS__BELL__LOUDNESS is no setting of that channel.",
        "cloche.toml:2: CLOCHE_CHANNELS__WEB_PAGE__TOKN is no setting of that channel "
        "(did you mean CLOCHE_CHANNELS__WEB_PAGE__TOKEN?).",
        "environment: CLOCHE_CHANNELS__WEB_PAGE__ZZ is no setting of that channel "
        "(did you mean CLOCHE_CHANNELS__WEB_PAGE__PORT?).",
    ]
    assert warnings == []


def test_the_home_folder_is_made_on_demand_for_its_owner_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    settings = load_settings({"CLOCHE_HOME": "~/a/b"}, tmp_path)
    assert settings.home == tmp_path / "a" / "b"
    assert not settings.home.exists()
    assert ensure_home(settings) == settings.home == ensure_home(settings)
    if os.name == "posix":
        assert settings.home.stat().st_mode & 0o777 == 0o700


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="CLOCHE_HOME: the folder"):
        ensure_home(Settings(home=tmp_path / "file"))


def test_settings_made_in_a_test_read_neither_environment_nor_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_ID", "from the environment")
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text("CLOCHE_OWNER=Ana")
    assert Settings().model_id == Settings().owner == ""


def test_the_process_itself_is_read_when_nothing_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.upper().startswith("CLOCHE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CLOCHE_OWNER", "Ana")
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text("CLOCHE_AGENT=embedded")
    settings = load_settings()
    assert (settings.owner, settings.agent) == ("Ana", "embedded")


def test_every_setting_has_a_variable_of_its_own_and_a_description() -> None:
    settings = known_settings()
    assert len({each.variable for each in settings}) == len(settings) > 15
    assert [each.key for each in settings if not each.description.endswith(".")] == []
    assert [each.key for each in settings if each.secret] == [
        "model.api_key",
        "embeddings.api_key",
        "transcription.api_key",
    ]


TEXT = st.text(
    st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=20
).filter(lambda text: text == text.strip() and text)


@given(owner=TEXT)
def test_any_text_comes_through_the_environment_unchanged(owner: str) -> None:
    nowhere = Path("/nowhere-at-all")
    assert load_settings({"CLOCHE_OWNER": owner}, nowhere).owner == owner


@given(suffix=st.from_regex(r"[A-Z_]{1,12}", fullmatch=True))
def test_a_variable_is_either_a_setting_or_refused_never_ignored(suffix: str) -> None:
    name = f"CLOCHE_{suffix}"
    known = {each.variable for each in known_settings()}
    channel = [part for part in suffix.split("__") if part]
    if name in known or (len(channel) == 3 and channel[0] == "CHANNELS"):
        return
    with pytest.raises(SettingsError, match=f"{name} is no setting"):
        load_settings({name: "1"}, Path("/nowhere-at-all"))


def test_an_address_that_is_refused_does_not_show_its_password(tmp_path: Path) -> None:
    told = refusal(tmp_path, CLOCHE_MODEL__BASE_URL="htp://me:hunter2@host/v1?key=hunter3")
    assert "http://" in told
    assert "hunter" not in told
