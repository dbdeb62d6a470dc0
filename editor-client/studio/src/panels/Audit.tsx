/** The audit of an eval: which agents without work pass, and which grader notices which broken work. */

import { useEffect, useState } from 'preact/hooks';

import { type Audit as Audited, type AuditedTask, readAudit } from '../api.ts';
import { documents } from '../editor/documents.ts';
import { percent } from '../logic/words.ts';
import { matrixOf } from '../logic/matrix.ts';
import { useValue } from '../observable.ts';
import { audited } from '../studio.ts';

export function Audit() {
  const subject = useValue(audited);
  const file = useValue(documents.active);
  const path = subject?.path ?? file?.path;
  const [found, setFound] = useState<Audited | null>(null);
  const [error, setError] = useState('');
  const [count, setCount] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setFound(null);
    setError('');
    if (path !== undefined) {
      documents
        .saveAll()
        .then(() => readAudit(path, stop.signal))
        .then(setFound, (it: Error) => stop.signal.aborted || setError(it.message));
    }
    return () => stop.abort();
  }, [path, count]);
  if (path === undefined) {
    return <p class="nothing">Open an eval to audit it.</p>;
  }
  return (
    <div class="audit">
      <div class="bar">
        <span class="grow">{path}</span>
        <button type="button" onClick={() => setCount(count + 1)}>
          Audit again
        </button>
      </div>
      {found === null && error === '' && (
        <p class="nothing" role="status">
          Auditing: each grader is tried on broken work. Nothing is executed.
        </p>
      )}
      {error !== '' && <p class="notice error">{error}</p>}
      {found?.evals.map((it) => (
        <section key={it.path}>
          <h2>
            {it.name} <span class="faint">mutation score {percent(it.mutation_score)}</span>
          </h2>
          {it.tasks.map((task) => (
            <Task key={task.id} task={task} isOpen={subject?.task === undefined || subject.task === task.id} />
          ))}
        </section>
      ))}
    </div>
  );
}

function Task({ task, isOpen }: { task: AuditedTask; isOpen: boolean }) {
  const matrix = matrixOf(task);
  return (
    <details open={isOpen}>
      <summary>
        {task.name} <span class="faint">mutation score {percent(task.mutation_score)}</span>
        {task.passes_for.length > 0 && <span class="badge doubtful">passes for: {task.passes_for.join(', ')}</span>}
      </summary>
      {task.problem && <p class="notice warning">{task.problem}</p>}
      {matrix.rows.length > 0 && (
        <div class="wide" tabIndex={0} role="region" aria-label={`Who notices what in ${task.name}`}>
          <table class="matrix">
            <thead>
              <tr>
                <th scope="col">Broken work</th>
                {task.graders.map((it, index) => (
                  <th key={index} scope="col">
                    <button type="button" class="link" title={`${it.type}, ${it.path}:${it.line}`} onClick={() => void documents.goTo(it.path, { line: it.line - 1 })}>
                      {it.name}
                    </button>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {matrix.rows.map((row) => (
                <tr key={row.key} class={row.survives ? 'survives' : ''}>
                  <th scope="row">
                    {row.label}
                    {row.survives && <span class="badge doubtful">passes</span>}
                  </th>
                  {row.cells.map((it, index) => (
                    <td key={index}>
                      <span class={`mark ${it}`} role="img" aria-label={WORDS[it]} title={WORDS[it]}>
                        {SIGNS[it]}
                      </span>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

const WORDS = { only: 'the only one to notice', notices: 'notices', blind: 'does not notice' } as const;
const SIGNS = { only: '●', notices: '•', blind: '·' } as const;
