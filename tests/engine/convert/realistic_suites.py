"""Suites in the manner of real ones, for tests of converting: built from realistic pieces, each by its seed."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

Data = dict[str, Any]
Make = Callable[[random.Random], Data]


class Domain(NamedTuple):
    """A field of work: the skill under test, prompts, words of good answers, files and commands."""

    skill: str
    prompts: tuple[str, ...]
    words: tuple[str, ...]
    files: tuple[str, ...]
    commands: tuple[str, ...]


DOMAINS = (
    Domain("azure-deploy", ("Deploy this app to Azure Container Apps.\nUse the existing resource group.", "Which Azure services does main.bicep create?"),
           ("resource group", "azd up", "Container Apps"), ("infra/main.bicep", "azure.yaml"), ("azd provision", "az login")),
    Domain("changelog-writer", ("Write the changelog entry for the merged pull requests.", "Summarise what changed since 2.3.1: only user-facing changes."),
           ("## [2.4.0]", "Breaking", "APP-112"), ("CHANGELOG.md", "package.json"), ("git log --oneline", "git tag")),
    Domain("sql-migrator", ("Add a nullable column `archived_at` to orders.", "Is this migration safe on a table with 40 million rows?"),
           ("ALTER TABLE", "rollback", "lock"), ("migrations/0042_archive.sql", "schema.sql"), ("psql -f", "sqlfluff lint")),
    Domain("k8s-triage", ("Pods of payments are in CrashLoopBackOff. Why?", "Scale checkout to 4 replicas and say what you did."),
           ("OOMKilled", "kubectl", "memory limit"), ("k8s/payments.yaml", "notes.md"), ("kubectl describe", "kubectl scale")),
    Domain("code-review", ("Review the diff in review.patch. Be brief.", "Find the race condition in worker.py"),
           ("line 42", "race", "lock"), ("worker.py", "review.patch"), ("git diff", "pytest -q")),
    Domain("i18n-helper", ("Übersetze die Fehlermeldungen ins Deutsche.", "Which keys are missing in de.json?"),
           ("Größe", "fehlt", "de.json"), ("locales/de.json", "locales/en.json"), ("jq keys", "npm run extract")),
)  # fmt: skip
REMARKS = (
    "the agent used to guess here",
    "keep in sync with the skill's own examples",
    "see the incident of 3 May",
    "TODO: too strict for small models?",
    "failed 4 of 20 runs before the prompt was changed",
    "nobody may push from an eval",
    "- type: prompt, when we have a judge: key 'x'",
)
TOOLS = ("bash", "edit", "create", "view", "grep", "web_fetch")
NAMES = (
    "mentions_it",
    "Says where",
    "no-guessing",
    "Größe stimmt",
    "quick",
    "uses the tool",
    "check 1",
    "file-contains",
    "text",
)


def some(chance: random.Random, of: tuple[str, ...], most: int = 2) -> list[str]:
    return chance.sample(of, chance.randint(1, min(most, len(of))))


def vally_graders(domain: Domain) -> dict[str, Make]:
    """One maker of a config for each grader type of vally, and for a plug-in's."""
    words, files, commands = domain.words, domain.files, domain.commands
    return {
        "completed": lambda _it: {},
        "exit-success": lambda _it: {},
        "error-count": lambda it: {"max": it.randint(0, 2)},
        "output-contains": lambda it: {"substring": it.choice(words), **({"case_sensitive": True} if it.random() < 0.3 else {})},
        "output-not-contains": lambda it: {"value": it.choice(words)},
        "output-matches": lambda it: {"pattern": it.choice([r"(?i)\bdone\b", r"^#+ ", r"(?=.*lock)", it.choice(words).split()[0].strip("#[") or "x"])},
        "output-not-matches": lambda it: {"pattern": it.choice([r"(?m)^TODO", r"(?<!no )error"])},
        "transcript-contains": lambda it: {"substring": it.choice(words)},
        "transcript-not-contains": lambda it: {"substring": it.choice(words)},
        "transcript-matches": lambda _it: {"pattern": r"(?i)done|error"},
        "transcript-not-matches": lambda _it: {"pattern": r"rolled\s+out"},
        "file-exists": lambda it: {"path": it.choice(files)},
        "file-not-exists": lambda it: {"path": it.choice([*files, "secrets.env"])},
        "file-contains": lambda it: {"path": it.choice(files), "value": it.choice(words)},
        "file-not-contains": lambda it: {"path": it.choice([*files, "**/*.py"]), "value": it.choice(words)},
        "file-matches": lambda it: {"path": it.choice([*files, "{a,b}.txt"]), "pattern": r"\d+\.\d+"},
        "file-not-matches": lambda it: {"path": it.choice(files), "pattern": r"TODO|FIXME"},
        "tool-calls": lambda it: it.choice([
            {"required": [f"^{it.choice(TOOLS)}$"]},
            {"disallowed": some(it, TOOLS)},
            {"required": [{"name": "bash", "command": commands[0].split()[0]}], "disallowed": ["^rm$"]},
            {"sequence": ["^view$", "^edit$"]},
            {"required": [{"name": "^bash$", "min_count": 2}]},
        ]),
        "skill-invocation": lambda it: {it.choice(["required", "disallowed"]): [domain.skill]},
        "tool-call-count": lambda it: {"max": it.randint(1, 6), **({"tools": ["^bash$"]} if it.random() < 0.3 else {})},
        "turn-count": lambda it: {"max": it.randint(1, 6)},
        "step-count": lambda it: {"max": it.randint(1, 6)},
        "token-budget": lambda it: {"max": it.choice([500, 20_000])},
        "wall-time": lambda it: {"max": it.choice(["2s", "1500ms", "5m"])},
        "metric-threshold": lambda it: {"metric": "tool-call-count", "max": it.randint(1, 4)},
        "max-repeat": lambda it: {"max": it.randint(1, 3), "match": "name"},
        "loop-outcome": lambda it: {"max_acceptable_retries": it.randint(0, 2)},
        "system-event": lambda _it: {"disallowed": ["compaction"]},
        "custom-metrics": lambda _it: {"assertions": [{"metric": "latency", "max": 200}]},
        "assistant-contains-tool-output": lambda _it: {"tools": ["^bash$"], "pattern": r"id-(\d+)"},
        "diff-contains": lambda it: {"pattern": r"(?m)^\+.*" + it.choice(["timeout", "lock"])},
        "diff-not-contains": lambda _it: {"pattern": "^diff "},
        "diff-empty": lambda _it: {},
        "prompt": lambda it: {"prompt": f"Does the answer explain {it.choice(words)}?", "scoring": it.choice(["binary", "scale_1_5"])},
        "panel": lambda _it: {"judges": [{"model": "a"}, {"model": "b"}], "prompt": "Is it correct?"},
        "run-command": lambda it: {"command": it.choice(["npm test", "python3 -m json.tool package.json"])},
        "program": lambda _it: {"program": "python3", "args": ["checks/verify.py"]},
        "acme-accessibility": lambda _it: {"level": "AA"},
    }  # fmt: skip


def waza_graders(domain: Domain) -> dict[str, Make]:
    """One maker of a config for each grader type of waza."""
    words, files, commands = domain.words, domain.files, domain.commands
    return {
        "text": lambda it: it.choice([
            {"contains": some(it, words)},
            {"not_contains": some(it, words), "contains_cs": [words[0]]},
            {"regex_match": [r"(?i)\bdone\b"], "regex_not_match": [r"(?m)^TODO", r"\pL{40}"]},
            {"regex_match": [r"(?s)lock.*release"]},
        ]),
        "file": lambda it: it.choice([
            {"must_exist": some(it, files)},
            {"must_not_exist": ["secrets.env"], "content_patterns": [{"path": files[0], "must_match": [r"\d+\.\d+"], "must_not_match": ["TODO"]}]},
            {"content_patterns": [{"path": files[0], "must_match": ["lock"]}]},
        ]),
        "behavior": lambda it: it.choice([{"max_tool_calls": it.randint(1, 5)}, {"max_tokens": 20_000, "max_duration_ms": 1500}, {"required_tools": ["bash"], "forbidden_tools": ["web_fetch"]}]),
        "tool_calls": lambda it: it.choice([{"required_tools": some(it, TOOLS)}, {"min_calls": 1, "max_calls": 5}, {"expect": [{"tool": "^bash$", "args": {"command": {"contains": commands[0].split()[0]}}}]}]),
        "tool_constraint": lambda it: it.choice([{"expect_tools": [{"tool": "bash", "command_pattern": commands[0].split()[0]}]}, {"reject_tools": [{"tool": "^rm$"}]}, {"allow_only": [{"tool": "view"}, {"tool": "bash"}]}]),
        "action_sequence": lambda it: {"matching_mode": it.choice(["in_order_match", "any_order_match", "exact_match"]), "expected_actions": it.choices(TOOLS, k=2)},
        "skill_invocation": lambda it: {"required_skills": [domain.skill], "mode": it.choice(["any_order", "in_order"])},
        "code": lambda it: {"assertions": ["len(output) > 10", f"'{words[0].split()[0]}' in output", "len(tool_calls) < 9"][: it.randint(1, 3)]},
        "diff": lambda _it: {"expected_files": [{"path": files[0], "contains": ["+lock"]}]},
        "json_schema": lambda _it: {"schema": {"type": "object", "required": ["status"]}},
        "prompt": lambda it: {"prompt": f"Does the answer explain {it.choice(words)}? Call set_waza_grade_pass or set_waza_grade_fail."},
        "program": lambda _it: {"command": "python3", "args": ["-c", "pass"], "timeout": 10},
        "trigger": lambda _it: {"skill_path": "source/skills/s/SKILL.md", "mode": "positive", "threshold": 0.5},
    }  # fmt: skip


def entries(chance: random.Random, makers: dict[str, Make], count: int) -> Iterator[Data]:
    """Entries with distinct names or none, as real files have them."""
    names = chance.sample(NAMES, len(NAMES))
    for number, kind in enumerate(chance.sample(sorted(makers), count)):
        config = makers[kind](chance)
        named = {"name": names[number % len(names)]} if chance.random() < 0.7 else {}
        yield {"type": kind, **named, **({"config": config} if config or chance.random() < 0.5 else {})}


def vally_spec(seed: int, kinds: tuple[str, ...] = ()) -> Data:
    """A spec of vally; with `kinds` only of these grader types."""
    chance = random.Random(seed)  # noqa: S311  # which suites are made is no secret
    domain = chance.choice(DOMAINS)
    makers = vally_graders(domain)
    makers = {key: it for key, it in makers.items() if not kinds or key in kinds}
    stimuli: list[Data] = []
    for number, prompt in enumerate(some(chance, domain.prompts, 2)):
        graders = list(entries(chance, makers, min(len(makers), chance.randint(1, 5))))
        if chance.random() < 0.2:
            graders[0]["turn"] = 0
        stimulus: Data = {"name": f"{chance.choice(['z', 'a'])}-{domain.skill} {number}"}
        stimulus |= (
            {"turns": [prompt, "And now in one sentence."]} if chance.random() < 0.3 else {"prompt": prompt}
        )
        more: list[Data] = [
            {"tags": {"tier": chance.choice(["ci", ["ci", "nightly"]]), "size": 3}},
            {"environment": {"files": [{"src": "fixtures/app", "dest": "."}], "env": {"CI": "true"}}},
            {"environment": {"commands": ["git init -q ."], "mcpServers": {"docs": {"type": "stdio", "command": "npx", "args": ["-y", "docs"], "timeout": "30s"}}}},
            {"environment": {"skills": ["skills/s"]}},
            {"constraints": {"max_turns": 9, "max_tokens": 5000, "reject_tools": ["rm"]}},
            {"constraints": {"expect_skills": [domain.skill], "max_duration": "90s"}},
            {"rubric": ["Names the resource group: exactly one", "No secrets # in the answer"]},
            {"artifacts": {"include": ["dist/**"]}},
            {"supported_executors": ["copilot-sdk"]},
        ]  # fmt: skip
        for it in chance.sample(more, chance.randint(0, 3)):
            stimulus |= it
        stimulus["graders"] = graders
        stimuli.append(stimulus)
    spec: Data = {"name": f"{domain.skill}-eval", "description": f"Does {domain.skill} do what it says?"}
    options: list[Data] = [
        {"type": "capability"},
        {"version": "1"},
        {"tags": {"area": domain.skill}},
        {
            "environment": {
                "skills": ["skills/s"],
                "files": [{"src": "fixtures/app/notes.md", "dest": "notes.md"}],
            }
        },
        {
            "environment": {
                "env": {"LANG": "de_DE.UTF-8"},
                "git": {"type": "worktree", "source": ".", "ref": "HEAD"},
            }
        },
        {"scoring": {"threshold": 0.8}},
        {"artifacts": {"exclude": ["**/*.map"]}},
    ]
    for it in chance.sample(options, chance.randint(0, 4)):
        spec |= it
    defaults = {"runs": 1, "timeout": chance.choice(["5m", "90s", "1500ms"]), "model": "claude-sonnet-4.6", "executor": chance.choice(["copilot-sdk", "copilot-sdk", "acme-agent"])}  # fmt: skip
    spec["defaults"] = {key: it for key, it in defaults.items() if chance.random() < 0.8}
    spec["stimuli"] = stimuli
    if chance.random() < 0.3:
        used = sorted({it["type"] for stimulus in stimuli for it in stimulus["graders"]})
        share = round(1 / len(used), 2)
        weights = dict.fromkeys(used, share)
        weights[used[-1]] = round(1 - share * (len(used) - 1), 2)
        spec["scoring"] = {"weights": weights, "threshold": 0.7}
    if chance.random() < 0.15:
        spec["graders"] = [
            {"type": "completed", "name": "finished"},
            {"type": "output-contains", "config": {"substring": "e"}},
        ]
    return spec


def waza_suite(seed: int, kinds: tuple[str, ...] = ()) -> dict[str, Data]:
    """The files of a suite of waza; with `kinds` only of these grader types."""
    chance = random.Random(seed)  # noqa: S311  # which suites are made is no secret
    domain = chance.choice(DOMAINS)
    makers = {key: it for key, it in waza_graders(domain).items() if not kinds or key in kinds}
    files: dict[str, Data] = {}
    config: Data = {"trials_per_task": 1, "timeout_seconds": chance.choice([120, 300]), "executor": "copilot-sdk", "model": "claude-sonnet-4.6"}  # fmt: skip
    settings: list[Data] = [
        {"parallel": True, "workers": 2},
        {"skill_directories": ["skills/s"]},
        {"judge_model": "gpt-5.2"},
        {"max_attempts": 2},
        {"fail_fast": True},
        {"mcp_servers": {"docs": {"command": "npx", "args": ["-y", "docs"], "timeout": 2000}}},
    ]
    for it in chance.sample(settings, chance.randint(0, 3)):
        config |= it
    top: Data = {"name": f"{domain.skill}-eval", "skill": domain.skill, "config": config}
    if chance.random() < 0.3:
        top["version"] = "1.0"
    if chance.random() < 0.3:
        top["metrics"] = [{"name": "trigger_accuracy", "threshold": 0.8}]
        files["trigger_tests.yaml"] = {
            "skill": domain.skill,
            "should_trigger_prompts": [{"prompt": domain.prompts[0], "reason": "its purpose"}],
            "should_not_trigger_prompts": [{"prompt": "What is the weather?", "confidence": "medium"}],
        }
    if chance.random() < 0.3:
        top["hooks"] = {"before_run": [{"command": "git status"}]}
    if chance.random() < 0.5:
        top["graders"] = _named(entries(chance, makers, min(2, len(makers))), "all")
    top["tasks"] = ["tasks/*.yaml"]
    files["eval.yaml"] = top
    for number, prompt in enumerate(some(chance, domain.prompts, 2)):
        files[f"tasks/{domain.skill}-{number:03}.yaml"] = _task(chance, domain, makers, number, prompt)
    return files


def _task(chance: random.Random, domain: Domain, makers: dict[str, Make], number: int, prompt: str) -> Data:
    task: Data = {
        "id": f"{domain.skill}-{number:03}",
        "name": f"Task {number}: {prompt.splitlines()[0][:30]}",
    }
    more: list[Data] = [
        {"description": "Seen in support.", "tags": ["smoke", "area=db"]},
        {"tags": ["slow"]},
        {"timeout_seconds": 60},
        {"expected": {"output_contains": [domain.words[0]], "output_not_contains": ["sorry"]}},
        {
            "expected": {
                "output_contains_any": list(domain.words[:2]),
                "outcomes": [{"type": "task_completed"}],
            }
        },
        {"enabled": False} if number else {},
    ]
    for it in chance.sample(more, chance.randint(0, 3)):
        task |= it
    task["inputs"] = {"prompt": prompt}
    if chance.random() < 0.4:
        task["inputs"]["files"] = [{"path": "app/notes.md"}, {"path": "given.txt", "content": "inline\n"}]
    if chance.random() < 0.3:
        task["inputs"]["follow_up_prompts"] = ["And now in one sentence.", "Thanks"]
    graders = _named(entries(chance, makers, min(len(makers), chance.randint(1, 4))), f"t{number}")
    for it in graders:
        if chance.random() < 0.3:
            it["weight"] = chance.choice([0.5, 2.0])
    task["graders"] = graders
    return task


def _named(graders: Iterator[Data], prefix: str) -> list[Data]:
    return [
        {"type": it["type"], "name": it.get("name", f"{prefix}-{at}"), **it} for at, it in enumerate(graders)
    ]


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, lists below their keys, and no aliases."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # PyYAML's own signature
        super().increase_indent(flow, False)

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def with_comments(data: Data, seed: int, prefix: str) -> tuple[str, list[str]]:
    """The YAML text with comments in all places where people put them, and the comments, each of which is unique."""
    chance = random.Random(seed)  # noqa: S311  # where comments are is no secret
    lines = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000).splitlines()
    made: list[str] = []
    remarks: list[str] = []
    literal = -1

    def remark() -> str:
        remarks.append(f"{prefix}{len(remarks)} {chance.choice(REMARKS)}")
        return remarks[-1]

    if chance.random() < 0.5:
        made += [f"# {remark()}", f"# {remark()}", ""]
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if literal >= 0 and (indent > literal or not line.strip()):
            made.append(line)
            continue
        literal = -1
        kind = chance.random()
        if kind < 0.08:
            made.append(f"{' ' * indent}# {remark()}")
        elif kind < 0.11:
            made += [f"{' ' * indent}# {remark()}", f"{' ' * indent}# {remark()}", ""]
        elif kind < 0.13:
            made.append(f"{' ' * (indent + 2)}# {remark()}")
        if line.endswith(("|", "|-", "|+")):
            literal = indent
        made.append(f"{line}  # {remark()}" if chance.random() < 0.08 else line)
    if chance.random() < 0.5:
        made += ["", f"# {remark()}"]
    return "\n".join(made) + "\n", remarks


def written(folder: Path, files: dict[str, Data], seed: int) -> tuple[Path, list[str]]:
    """Write a suite with comments, fixtures and a skill. Returns the path of the eval, and the comments."""
    folder.mkdir(parents=True)
    remarks: list[str] = []
    for number, (name, data) in enumerate(files.items()):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        text, found = with_comments(data, seed * 10 + number, f"c{number}x")
        path.write_text(text, encoding="utf-8")
        remarks += found
    notes = folder / "fixtures" / "app" / "notes.md"
    notes.parent.mkdir(parents=True)
    notes.write_text("# Notes\nlock\n", encoding="utf-8")
    (folder / "fixtures" / "app" / "logo.bin").write_bytes(b"\xff\x00")
    skill = folder / "skills" / "s" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    name = next((it["skill"] for it in files.values() if "skill" in it), "s")
    skill.write_text(f"---\nname: {name}\ndescription: Does it.\n---\nDo it.\n", encoding="utf-8")
    return folder / "eval.yaml", remarks
