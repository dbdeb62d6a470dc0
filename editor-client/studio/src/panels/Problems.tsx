/** The list of findings of the open files. */

import { useState } from 'preact/hooks';

import { documents } from '../editor/documents.ts';
import { useValue } from '../observable.ts';
import { type Problem, problems } from '../studio.ts';

const WORDS = { error: 'Error', warning: 'Warning', info: 'Information', hint: 'Hint' } as const;
const SEVERITIES = ['error', 'warning', 'info', 'hint'] as const;
const MOST = 300;

export function Problems() {
  const found = useValue(problems);
  const active = useValue(documents.active);
  const [isOpen, setOpen] = useState(true);
  const order = (it: Problem) => (it.path === active?.path ? 0 : 10) + SEVERITIES.indexOf(it.severity);
  const all = [...found.values()].flat().sort((a, b) => order(a) - order(b));
  const counts = SEVERITIES.map((it) => [it, all.filter((one) => one.severity === it).length] as const);
  return (
    <section class={`problems${isOpen ? '' : ' folded'}`} aria-label="Problems">
      <button type="button" class="head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> Problems
        {all.length === 0 && <span class="count none">none</span>}
        {counts.map(([severity, count]) => count > 0 && (
          <span key={severity} class={`count ${severity}`}>
            {count} {WORDS[severity].toLowerCase()}{count === 1 || severity === 'info' ? '' : 's'}
          </span>
        ))}
      </button>
      {isOpen && all.length > 0 && (
        <ul>
          {all.slice(0, MOST).map((it, index) => (
            <li key={index}>
              <button type="button" onClick={() => goTo(it)}>
                <span class={`dot ${it.severity}`} role="img" aria-label={WORDS[it.severity]} />
                <span class="message">{it.message}</span>
                <span class="code">{it.code}</span>
                <span class="place">
                  {it.path}:{it.line + 1}
                </span>
              </button>
            </li>
          ))}
          {all.length > MOST && <li class="nothing">{all.length - MOST} more</li>}
        </ul>
      )}
    </section>
  );
}

function goTo(problem: Problem): void {
  void documents.goTo(problem.path, { line: problem.line });
}
