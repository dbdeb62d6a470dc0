"""What counts as a secret, what does not, and what remains of it."""

import time
from pathlib import Path
from typing import Any

import pytest

from waza_engine.lib.redaction import Redactor, is_secret_name
from waza_engine.model.results.records import GraderOutcome
from waza_engine.model.trajectory import Trajectory

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"key sk-{BODY} ends", "key sk-[redacted] ends"),
        (f"sk-proj-{BODY}", "sk-[redacted]"),
        (f"sk-ant-api03-{BODY}", "sk-[redacted]"),
        (f"ghp_{BODY}", "ghp_[redacted]"),
        (f"gho_{BODY}.", "gho_[redacted]."),
        (f"github_pat_{BODY}_{BODY}", "github_pat_[redacted]"),
        (f"glpat-{BODY}", "glpat-[redacted]"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIA[redacted]"),
        ("xoxb-123456789012-abcdef", "xoxb-[redacted]"),
        (f"AIza{BODY}", "AIza[redacted]"),
        (f"hf_{BODY}", "hf_[redacted]"),
        (f"npm_{BODY}", "npm_[redacted]"),
        (f"sk_live_{BODY}", "sk_live_[redacted]"),
        (f"Authorization: Bearer {BODY}", "Authorization: Bearer [redacted]"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZDE=", "Authorization: Basic [redacted]"),
        ("x-api-key: abc12345678", "x-api-key: [redacted]"),
        ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abc-_", "eyJ[redacted]"),
        (f"a {PEM} b", "a -----BEGIN RSA PRIVATE KEY-----[redacted] b"),
        (PEM[:40], "-----BEGIN RSA PRIVATE KEY-----[redacted]"),
        ("https://user:hunter2@host/path", "https://user:[redacted]@host/path"),
        ("OPENAI_API_KEY=abcdef123456\nHOME=/root", "OPENAI_API_KEY=[redacted]\nHOME=/root"),
        ("export DB_PASSWORD='abcdef123456'", "export DB_PASSWORD='[redacted]'"),
        ('{"apiKey": "abc12345678"}', '{"apiKey": "[redacted]"}'),
        ('{\\"token\\": \\"abc12345678\\"}', '{\\"token\\": \\"[redacted]\\"}'),
        ("agent --api-key abc12345678 go", "agent --api-key [redacted] go"),
        ("agent --token=abc12345678", "agent --token=[redacted]"),
    ],
)
def test_keys_are_recognised_by_their_shape(text: str, redacted: str) -> None:
    assert Redactor().text(text) == redacted
    assert Redactor().text(redacted) == redacted
    assert Redactor().text(f"é\r\n{text}\r\n") == f"é\r\n{redacted}\r\n" or PEM[:40] == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "task-1234567890abcdefghijk",
        "sk-learn-is-a-long-name-without-digits",
        "--max-tokens 4096",
        "token = get_token()",
        "API_KEY=$OPENAI_API_KEY",
        "API_KEY=<your key here 123>",
        "http://localhost:8080/@scope/package",
        "bearer of bad news",
        '"token": "string"',
        "KEYBOARD=qwertz12345",
        "-----BEGIN CERTIFICATE-----\nMIIE1\n-----END CERTIFICATE-----",
        "commit 3f79fdb3d4a872080cceb401bb1b911194c7ca2a",
        "input_tokens: 123456789",
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert Redactor().text(text) is text


def test_values_of_variables_with_such_names_are_secrets_wherever_they_occur(tmp_path: Path) -> None:
    redactor = Redactor.of(
        {
            "OPENAI_API_KEY": "opaque-value",
            "GH_TOKEN": "opaque-value-and-more",
            "SHORT_KEY": "abc",
            "WORD_SECRET": "password",
            "GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path),
            "HOME": "/opaque/home",
        },
    )
    text = f"opaque-value opaque-value-and-more abc password {tmp_path} /opaque/home"
    assert redactor.text(text) == (
        f"[redacted OPENAI_API_KEY] [redacted GH_TOKEN] abc password {tmp_path} /opaque/home"
    )


def test_options_of_a_command_are_secrets_wherever_they_occur() -> None:
    redactor = Redactor.of(
        commands=["agent --api-key s3cr3t --token=tokenvalue API_KEY=other --max-tokens 4096 --key {prompt}"]
    )
    assert redactor.text("s3cr3t tokenvalue other 4096 {prompt}") == (
        "[redacted] [redacted] [redacted] 4096 {prompt}"
    )
    assert Redactor.of(commands=["agent --password 'unclosed1"]).text("unclosed1") == "[redacted]"
    assert Redactor.of(commands=[""]).known == {}
    assert Redactor.of(commands=["agent --password"]).known == {}


def test_data_keep_their_form_and_their_identifiers() -> None:
    key = f"sk-{BODY}"
    data = {"a": [key, 1, None, {key: (key, True)}], "password": "correcthorse", "token": 5}
    assert Redactor().data(data) == {
        "a": ["sk-[redacted]", 1, None, {"sk-[redacted]": ("sk-[redacted]", True)}],
        "password": "[redacted]",
        "token": 5,
    }
    outcome = GraderOutcome(key, key, "failed", 0, 1, f"found {key}", {"hits": [key]}, path=Path(key))
    new = Redactor().data(outcome)
    assert (new.name, new.path, new.feedback) == (key, Path(key), "found sk-[redacted]")
    assert new.details == {"hits": ["sk-[redacted]"]}
    trajectory = Trajectory(
        task=key, output=key, files={"a.txt": key}, transcript=[{"type": "x", "content": key}]
    )
    clean = Redactor().data(trajectory)
    assert (clean.task, clean.output, clean.files) == (key, "sk-[redacted]", {"a.txt": "sk-[redacted]"})
    assert clean.transcript[0]["content"] == "sk-[redacted]"


@pytest.mark.parametrize("value", [{"a": ["b"]}, ("x", 1), Trajectory(output="x"), Path("x"), 1.5, None])
def test_data_without_secrets_are_the_same_object(value: Any) -> None:
    assert Redactor().data(value) is value


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        *[(it, True) for it in ("OPENAI_API_KEY", "GH_TOKEN", "AWS_SECRET_ACCESS_KEY", "KEY", "DbPassword")],
        *[(it, True) for it in ("AZURE_CLIENT_SECRET", "KEY_2", "GITHUB_PAT", "CREDENTIALS", "api-key")],
        *[
            (it, False)
            for it in ("PATH", "KEYBOARD", "MONKEY", "MAX_TOKENS_PER_TURN", "SSH_AUTH_SOCK", "PWD")
        ],
    ],
)
def test_names(name: str, *, is_secret: bool) -> None:
    assert is_secret_name(name) is is_secret


@pytest.mark.parametrize(
    "piece",
    [
        "-----BEGIN PRIVATE KEY-----",
        "://",
        "a:",
        "A_KEY",
        "AKEY=",
        '"token":',
        "--token",
        "sk-",
        "eyJ",
        "bearer ",
    ],
)
def test_hostile_texts_cost_little(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    before = time.process_time()
    Redactor().text(text)
    assert time.process_time() - before < 2
