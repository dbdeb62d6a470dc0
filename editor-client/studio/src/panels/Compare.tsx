/** Two runs compared: what the differences show, with their intervals. */

import { useEffect, useState } from 'preact/hooks';

import { type Comparison, type Evidence, readComparison, readRuns, type Run } from '../api.ts';
import { showTrace } from '../commands.ts';
import { ago, direction, percent, score, signed } from '../logic/words.ts';
import { useValue } from '../observable.ts';
import { compared, runsChanged } from '../studio.ts';

export function Compare() {
  const pair = useValue(compared);
  const changed = useValue(runsChanged);
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const [found, setFound] = useState<Comparison | null>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    readRuns().then((it) => setRuns(it.runs), (it: Error) => setError(it.message));
  }, [changed]);
  useEffect(() => {
    let isCurrent = true;
    setFound(null);
    setError('');
    if (pair !== null) {
      readComparison(...pair).then((it) => isCurrent && setFound(it), (it: Error) => isCurrent && setError(it.message));
    }
    return () => {
      isCurrent = false;
    };
  }, [pair]);
  if (runs.length < 2) {
    return <p class="nothing">A comparison needs two stored runs.</p>;
  }
  const now = Date.now() / 1000;
  const choice = (place: 0 | 1, label: string) => (
    <label>
      {label}
      <select
        value={pair?.[place] ?? ''}
        onChange={(event) => {
          const id = event.currentTarget.value;
          const first = runs[1]?.id ?? '';
          const last = runs[0]?.id ?? '';
          compared.value = place === 0 ? [id, pair?.[1] ?? last] : [pair?.[0] ?? first, id];
        }}
      >
        <option value="" disabled>
          Choose a run
        </option>
        {runs.map((it) => (
          <option key={it.id} value={it.id}>{`${it.suite} · ${it.executor} · ${score(it.score)} · ${ago(it.started_at, now)}`}</option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="compare">
      <div class="pair">
        {choice(0, 'Before')}
        {choice(1, 'After')}
      </div>
      {error !== '' && <p class="notice error">{error}</p>}
      {pair === null && <p class="nothing">Choose the runs before and after your change.</p>}
      {found !== null && <Found found={found} pair={pair as readonly [string, string]} />}
    </div>
  );
}

function Found({ found, pair }: { found: Comparison; pair: readonly [string, string] }) {
  const evidence = found.evidence?.[0];
  return (
    <>
      <div class="sums">
        <Sum label="Score" values={found.aggregate_scores} show={score} evidence={evidence?.score ?? null} />
        <Sum label="Pass rate" values={found.success_rates} show={percent} evidence={evidence?.pass_rate ?? null} />
      </div>
      <table class="list">
        <caption class="unseen">Tasks of both runs</caption>
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
            <th scope="col">Difference of the pass rate, 95 % interval</th>
          </tr>
        </thead>
        <tbody>
          {found.task_deltas.map((it) => (
            <tr key={it.task_id}>
              <td>{it.display_name}</td>
              {[0, 1].map((place) => (
                <td key={place} class="number">
                  <button type="button" class="link" onClick={() => showTrace(pair[place] ?? '', it.task_id)}>
                    {percent(it.pass_rates[place])} <span class="faint">{score(it.scores[place])}</span>
                  </button>
                </td>
              ))}
              <td>
                <Interval evidence={it.evidence ?? null} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Sum(props: { label: string; values: readonly (number | null)[]; show: (it: number | null | undefined) => string; evidence: Evidence | null }) {
  const { label, values, show, evidence } = props;
  return (
    <section class={`sum ${direction(evidence?.verdict ?? '')}`} aria-label={label}>
      <h2>{label}</h2>
      <p class="figures">
        {show(values[0])} → <b>{show(values.at(-1))}</b>
      </p>
      <Interval evidence={evidence} />
      {evidence?.tasks !== undefined && (
        <p class="faint">
          {evidence.tasks} {evidence.tasks === 1 ? 'task' : 'tasks'}: {evidence.wins} better, {evidence.losses} worse, {evidence.ties} alike
          {evidence.p_value !== null && `, p = ${evidence.p_value.toPrecision(2)}`}
        </p>
      )}
    </section>
  );
}

function Interval({ evidence }: { evidence: Evidence | null }) {
  if (evidence === null) {
    return <span class="faint">–</span>;
  }
  const at = (it: number) => `${50 + Math.min(Math.max(it, -1), 1) * 48}%`;
  const [low, high] = evidence.interval ?? [evidence.effect, evidence.effect];
  const words = evidence.interval === null ? '' : `, between ${signed(low)} and ${signed(high)}`;
  return (
    <div class={`interval ${direction(evidence.verdict)}`}>
      <svg height="14" role="img" aria-label={`${signed(evidence.effect)}${words}`}>
        <line x1="2%" x2="98%" y1="7" y2="7" class="grid" />
        <line x1="50%" x2="50%" y1="1" y2="13" class="zero" />
        <line x1={at(low)} x2={at(high)} y1="7" y2="7" class="range" />
        <circle cx={at(evidence.effect)} cy="7" r="4" />
      </svg>
      <span class="verdict-word">{evidence.verdict}</span> <span class="faint">{signed(evidence.effect)}{words}</span>
    </div>
  );
}
