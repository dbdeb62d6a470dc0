/** A trial on paper: every step with everything in it, no panes. */

import { doubt } from '../workspace.ts';
import type { Index } from '../trace.ts';
import type { Opened } from '../opened.ts';
import { isError } from '../steps.ts';
import { countChanges, diffLines, folded } from '../lines.ts';
import { compareFiles, filesAfter } from '../workspace.ts';
import { GradersView } from './graders_view.tsx';
import { Figures } from './header.tsx';
import { outputLines, StepView } from './step_view.tsx';

export function PrintView({ index, opened }: { index: Index; opened: Opened }) {
  const { head, trial, rows } = opened;
  const [start, end] = [filesAfter(trial.workspace, -1), filesAfter(trial.workspace, Infinity)];
  const changed = compareFiles(start, end).filter((it) => it.state !== 'same');
  const lines = outputLines(opened.marks);
  return (
    <article class="printed">
      <h1>
        {index.title}: {head.name || head.task}, trial {head.trial}
      </h1>
      <Figures head={head} trial={trial} />
      <h2>Graders</h2>
      <GradersView opened={opened} host={{}} current={undefined} isWhole />
      <h2>Conversation</h2>
      {rows.map((row) => (
        <div class={`step is-${row.step.kind} ${isError(row.step) ? 'is-error' : ''}`}>
          <StepView row={row} marks={opened.marksByStep.get(row.n) ?? []} changed={opened.changes.get(row.n) ?? []} find={[]} isOpen isWhole lines={lines} />
        </div>
      ))}
      <h2>Changed files</h2>
      {changed.length === 0 && <p>None.</p>}
      {doubt(trial.workspace, Infinity) !== '' && <p class="note">{doubt(trial.workspace, Infinity)}</p>}
      {changed.map(({ path, state }) => {
        const all = diffLines(start.get(path) ?? '', end.get(path) ?? '');
        const counts = countChanges(all);
        return (
          <section>
            <h3>
              {path} <small>{`${state}, +${counts.added} −${counts.deleted}`}</small>
            </h3>
            <pre>
              {folded(all).map((it) => (
                <span class={`line is-${it.mark}`}>{it.mark === 'fold' ? '⋯\n' : `${{ same: ' ', added: '+', deleted: '-' }[it.mark]} ${it.text}\n`}</span>
              ))}
            </pre>
          </section>
        );
      })}
    </article>
  );
}
