"""The metrics that the Python generation computed (docs/reference/waza-formats.md, section 14.5)."""

from tests.engine.runs.bench import Bench, contains, task
from waza_engine.model.suite import GraderEntry, Metric


async def test_a_trial_without_results_measures_no_behaviour(bench: Bench) -> None:
    outside = GraderEntry("file", "outside", config={"must_exist": ["/x"]})
    suite = bench.suite(
        task("good", graders=(contains("Good", "nowhere"),)),
        task("broken", graders=(outside,)),
        task("unjudged"),
        metrics=(Metric("behavior_quality", 1.0, 0.5),),
    )
    record = await bench.run(suite)
    assert [it.status for it in record.tasks] == ["failed", "failed", "passed"]
    assert [it.value for it in record.measures] == [0.5]
