"""What `waza-lsp judge show` prints: agreement with people, flips, agreement of models, and costs."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from waza_engine.calibration.agreement import JudgeRecord, ModelPair
from waza_engine.lib.plurals import counted
from waza_engine.model.findings import Finding
from waza_engine.model.results.consumption import consumption_text
from waza_engine.reports.inert import harmless
from waza_lsp.cli.judge.words import agreement_data, agreement_words, table_lines
from waza_lsp.cli.load_errors import short_path


def as_text(
    records: Sequence[JudgeRecord], pairs: Sequence[ModelPair], findings: Sequence[tuple[Path, Finding]] = ()
) -> str:
    """Return the report for people."""
    if not records:
        return "No judge has decided anything in this eval's runs. Run it, or ask: waza-lsp judge ask EVAL"
    blocks = ["\n".join(map(harmless, _record_lines(it))) for it in records]
    blocks += ["\n".join(map(harmless, _pair_lines(it))) for it in pairs]
    if findings:
        blocks.append(
            "\n".join(harmless(f"{short_path(path)}: {it.message} [{it.code}]") for path, it in findings)
        )
    if not any(it.with_people.items for it in records):
        blocks.append("No person has judged these trials. Compare with: waza-lsp review start")
    return "\n\n".join(blocks)


def _record_lines(it: JudgeRecord) -> Iterator[str]:
    yield f"{it.grader} ({it.model or 'unknown model'}): {counted(it.verdicts, 'verdict')}"
    if it.with_people.items:
        yield f"  {agreement_words(it.table, 'people')}"
        yield from (f"  {line}" for line in table_lines(it.table, "judge", "person"))
    if it.flips.rate is not None:
        interval = f"[{it.flips.interval.lower:.0%}, {it.flips.interval.upper:.0%}]"
        yield (
            f"  flips {it.flips.mixed} of {it.flips.things} when asked again; two answers differ in "
            f"{it.flips.rate:.0%} {interval}"
        )
    if text := consumption_text(it.used):
        yield f"  {text}"


def _pair_lines(it: ModelPair) -> Iterator[str]:
    yield f"{it.grader}: {it.first} and {it.second}"
    yield f"  {agreement_words(it.table, 'the other')}"
    yield from (f"  {line}" for line in table_lines(it.table, it.first, it.second))


def as_json(
    records: Sequence[JudgeRecord], pairs: Sequence[ModelPair], findings: Sequence[tuple[Path, Finding]] = ()
) -> str:
    """Return the report for programs."""
    data = {
        "judges": [_record(it) for it in records],
        "pairs": [_pair(it) for it in pairs],
        "findings": [
            {"path": str(path), "pointer": list(it.pointer), "code": it.code, "message": it.message}
            for path, it in findings
        ],
    }
    return json.dumps(data, indent=2)


def _record(it: JudgeRecord) -> dict[str, object]:
    return {
        "grader": it.grader,
        "model": it.model,
        "verdicts": it.verdicts,
        "people": {**agreement_data(it.with_people), "table": it.table},
        "flips": {
            "rate": it.flips.rate,
            "interval": [it.flips.interval.lower, it.flips.interval.upper],
            "mixed": it.flips.mixed,
            "repeated": it.flips.things,
        },
        "input_tokens": it.used.judge_input_tokens,
        "output_tokens": it.used.judge_output_tokens,
        "cost": it.used.judge_cost,
    }


def _pair(it: ModelPair) -> dict[str, object]:
    return {
        "grader": it.grader,
        "models": [it.first, it.second],
        **agreement_data(it.agreement),
        "table": it.table,
    }
