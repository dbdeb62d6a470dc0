/** The stored runs: the trend of the active eval, and a list from which runs are opened and compared. */

import { useEffect, useState } from 'preact/hooks';

import { type History, readHistory, readRuns, type Run } from '../api.ts';
import { showTrace } from '../commands.ts';
import { documents } from '../editor/documents.ts';
import { dots, pathThrough } from '../logic/trend.ts';
import { ago, score } from '../logic/words.ts';
import { useValue } from '../observable.ts';
import { compared, panel, runsChanged } from '../studio.ts';

const WIDTH = 320;
const HEIGHT = 72;

export function Runs() {
  const file = useValue(documents.active);
  const changed = useValue(runsChanged);
  const [runs, setRuns] = useState<readonly Run[] | null>(null);
  const [history, setHistory] = useState<History | null>(null);
  const [error, setError] = useState('');
  const [isAll, setAll] = useState(false);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const path = isAll ? undefined : file?.path;
    readRuns(path).then(
      (it) => isCurrent && (setRuns(it.runs), setError('')),
      (it: Error) => isCurrent && setError(it.message),
    );
    setHistory(null);
    if (path !== undefined) {
      readHistory(path).then((it) => isCurrent && setHistory(it), () => undefined);
    }
    return () => {
      isCurrent = false;
    };
  }, [file, changed, isAll]);
  const toggle = (id: string) => setChosen((it) => (it.includes(id) ? it.filter((one) => one !== id) : [...it, id].slice(-2)));
  const compare = () => {
    const order = [...chosen].sort((a, b) => (runs ?? []).findIndex((it) => it.id === b) - (runs ?? []).findIndex((it) => it.id === a));
    compared.value = order as unknown as [string, string];
    panel.value = 'compare';
  };
  const now = Date.now() / 1000;
  return (
    <div class="runs">
      <div class="bar">
        <label>
          <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} /> All evals of the folder
        </label>
        <span class="grow" />
        <button type="button" disabled={chosen.length !== 2} onClick={compare} title="Choose two runs of the list to compare them">
          Compare
        </button>
      </div>
      {error !== '' && <p class="notice error">{error}</p>}
      {history !== null && history.points.length > 1 && <Trend history={history} />}
      {runs === null && error === '' && <p class="nothing">Reading the runs…</p>}
      {runs !== null && runs.length === 0 && <p class="nothing">No stored run. Choose ▶ Run task or ▶ Run all above a line of the editor.</p>}
      {runs !== null && runs.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col"><span class="unseen">Choose</span></th>
              <th scope="col">Run</th>
              <th scope="col">Score</th>
              <th scope="col">Executor</th>
              <th scope="col">Tasks</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((it) => (
              <tr key={it.id}>
                <td>
                  <input type="checkbox" aria-label={`Compare the run of ${it.suite}, ${ago(it.started_at, now)}`} checked={chosen.includes(it.id)} onChange={() => toggle(it.id)} />
                </td>
                <td>
                  <button type="button" class="link" onClick={() => showTrace(it.id)} title={it.id}>
                    <span class={`badge ${it.status}`}>{it.status}</span> {isAll ? `${it.suite}, ` : ''}
                    {ago(it.started_at, now)}
                  </button>
                  {it.variant && <span class="faint"> {it.variant}</span>}
                </td>
                <td class="number">{score(it.score)}</td>
                <td>
                  {it.executor}
                  {it.model !== '' && <span class="faint"> {it.model}</span>}
                </td>
                <td class="number">
                  {it.tasks}
                  {it.trials > 1 ? ` × ${it.trials}` : ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Trend({ history }: { history: History }) {
  const points = dots(history.points.map((it) => it.score), WIDTH, HEIGHT, 6);
  const newest = history.points.at(-1);
  return (
    <figure class="trend">
      <figcaption>
        Score of the last {history.points.length} runs <b>{score(newest?.score)}</b>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Scores, oldest first: ${history.points.map((it) => score(it.score)).join(', ')}`}>
        <line x1="6" x2={WIDTH - 6} y1="6" y2="6" class="grid" />
        <line x1="6" x2={WIDTH - 6} y1={HEIGHT - 6} y2={HEIGHT - 6} class="grid" />
        <path d={pathThrough(points)} />
        {points.map((it, index) => {
          const point = history.points[index];
          return it === null || point === undefined ? null : (
            <circle key={point.run} cx={it.x} cy={it.y} r="3.5" class={point.status} onClick={() => showTrace(point.run)}>
              <title>{`${point.status}, ${score(point.score)}`}</title>
            </circle>
          );
        })}
      </svg>
      {history.tasks !== undefined && history.tasks.length > 0 && (
        <table class="cells">
          <tbody>
            {history.tasks.map((task) => (
              <tr key={task.id}>
                <th scope="row">{task.id}</th>
                <td>
                  {history.points.map(({ run }) => {
                    const { passed, trials } = task.cells.find((it) => it.run === run) ?? { passed: 0, trials: 0 };
                    const kind = trials === 0 ? 'none' : passed === trials ? 'passed' : passed === 0 ? 'failed' : 'mixed';
                    const text = trials === 0 ? 'not run' : `${passed} of ${trials} trials passed`;
                    return <span key={run} class={`cell ${kind}`} role="img" aria-label={text} title={text} />;
                  })}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </figure>
  );
}
