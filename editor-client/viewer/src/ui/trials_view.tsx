/** The list of trials, with search and status. */

import { useMemo, useRef, useState } from 'preact/hooks';

import { duration, plural } from '../format.ts';
import type { TrialHead } from '../trace.ts';
import { number } from './graders_view.tsx';
import { VirtualList } from './virtual.tsx';

interface Props {
  readonly trials: readonly TrialHead[];
  readonly current: number;
  readonly beside: number | undefined;
  readonly onOpen: (place: number) => void;
  readonly onCompare: (place: number) => void;
}

const STATUSES = ['failed', 'error', 'passed', 'skipped'] as const;

export function TrialsView({ trials, current, beside, onOpen, onCompare }: Props) {
  const [text, setText] = useState('');
  const [status, setStatus] = useState('');
  const counts = useMemo(() => new Map(STATUSES.map((it) => [it, trials.filter((trial) => trial.status === it).length])), [trials]);
  const shown = useMemo(() => {
    const words = text.toLowerCase().trim();
    const fits = (it: TrialHead) => (status === '' || it.status === status) && (words === '' || `${it.task} ${it.name} ${it.origin ?? ''} ${it.error ?? ''}`.toLowerCase().includes(words));
    return trials.flatMap((it, place) => (fits(it) ? [place] : []));
  }, [trials, text, status]);
  const first = useRef({ index: Math.max(0, shown.indexOf(current)), align: 'center' } as const);
  return (
    <nav class="pane trials" aria-label="Trials">
      <div class="bar">
        <input type="search" placeholder="Search" aria-label="Text in the trials" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <select aria-label="Status" value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
          <option value="">{plural(trials.length, 'trial')}</option>
          {STATUSES.filter((it) => (counts.get(it) ?? 0) > 0).map((it) => (
            <option value={it}>
              {counts.get(it)} {it}
            </option>
          ))}
        </select>
      </div>
      {shown.length === 0 && <p class="nothing">No trial matches.</p>}
      <VirtualList
        count={shown.length}
        estimate={46}
        keyOf={(index) => shown[index] ?? -1}
        jump={first.current}
        attributes={{ role: 'list', class: 'trial-list' }}
        row={(index) => {
          const place = shown[index] ?? 0;
          const it = trials[place];
          return (
            it && (
              <div role="listitem" class={`trial ${place === current ? 'is-current' : ''} ${place === beside ? 'is-beside' : ''}`}>
                <button type="button" class="trial-open" aria-current={place === current ? 'true' : undefined} onClick={() => onOpen(place)}>
                  <span class={`dot is-${it.status}`} aria-hidden="true" />
                  <span class="trial-name">{it.name || it.task}</span>
                  <span class="trial-facts">
                    {[it.status, `trial ${it.trial}`, it.score !== null && number(it.score), duration(it.duration_ms), it.origin].filter(Boolean).join(' · ')}
                  </span>
                </button>
                {place !== current && (
                  <button type="button" class="trial-compare" aria-label={`Compare with ${it.name || it.task}, trial ${it.trial}`} title="Compare with the open trial" onClick={() => onCompare(place)}>
                    ⇄
                  </button>
                )}
              </div>
            )
          );
        }}
      />
    </nav>
  );
}
