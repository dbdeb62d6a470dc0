/** The steps of one trial, with the filter above them. */

import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { filtered, isFiltering, NO_FILTER, toolsOf, type Filter } from '../filter.ts';
import { plural } from '../format.ts';
import type { Opened } from '../opened.ts';
import { indexOf } from '../opened.ts';
import { isError, type Row } from '../steps.ts';
import { outputLines, StepView, type StepActions } from './step_view.tsx';
import { VirtualList, type Jump } from './virtual.tsx';

/** So long after the last key, what is typed is searched. */
const TYPED_MS = 150;
/** Shows the end of the step before. */
export const HEADROOM = 56;

interface Props {
  readonly opened: Opened;
  readonly selected: number;
  /** The output's line to show. */
  readonly line: number | undefined;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  readonly actions: StepActions;
  /** A new object scrolls to the selected step. */
  readonly jump: object;
  /** The step that takes the focus once it is on the screen. */
  readonly focus: RefObject<number>;
}

export function Conversation({ opened, selected, line, filter, onFilter, actions, jump, focus }: Props) {
  const { rows, marks, marksByStep } = opened;
  const marked = useMemo(() => new Set(marksByStep.keys()), [marksByStep]);
  const shown = useMemo(() => filtered(rows, filter, marked), [rows, filter, marked]);
  const lines = useMemo(() => outputLines(marks), [marks]);
  const [toggled, setToggled] = useState<ReadonlyMap<number, boolean>>(new Map());
  const to = useMemo((): Jump => ({ index: indexOf(shown, selected), align: 'start' }), [jump, shown]);
  const find = useMemo(() => [filter.text], [filter.text]);
  return (
    <section class="pane conversation" aria-label="Conversation">
      <FilterBar rows={rows} filter={filter} onFilter={onFilter} shown={shown.length} />
      {shown.length === 0 ? (
        <p class="nothing">
          {isFiltering(filter) ? 'No step matches the filter. ' : 'This trial has no steps.'}
          {isFiltering(filter) && (
            <button type="button" onClick={() => onFilter(NO_FILTER)}>
              Show all steps
            </button>
          )}
        </p>
      ) : (
        <VirtualList
          key={opened.place}
          count={shown.length}
          estimate={64}
          headroom={HEADROOM}
          keyOf={(index) => shown[index]?.n ?? -1}
          jump={to}
          attributes={{ role: 'feed', 'aria-label': `${plural(shown.length, 'step')} of the conversation`, tabIndex: -1, class: 'steps' }}
          row={(index) => {
            const row = shown[index];
            if (row === undefined) {
              return null;
            }
            const isSelected = row.n === selected;
            const isOpen = toggled.get(row.n) ?? (isSelected || isError(row.step) || marked.has(row.n));
            return (
              <Focused
                isWanted={isSelected && focus.current === row.n}
                onFocus={() => (focus.current = -1)}
                onEnter={isSelected ? undefined : () => actions.select(row.n)}
                class={`step is-${row.step.kind} ${isSelected ? 'is-selected' : ''} ${isError(row.step) ? 'is-error' : ''} ${marked.has(row.n) ? 'is-marked' : ''}`}
                attributes={{
                  'aria-posinset': index + 1,
                  'aria-setsize': shown.length,
                  'aria-current': isSelected ? 'step' : undefined,
                  'data-step': row.n,
                }}
              >
                <StepView
                  row={row}
                  marks={marksByStep.get(row.n) ?? []}
                  changed={opened.changes.get(row.n) ?? []}
                  find={find}
                  isOpen={isOpen}
                  onToggle={() => setToggled(new Map(toggled).set(row.n, !isOpen))}
                  actions={actions}
                  lines={lines}
                  isSelected={isSelected}
                  line={line}
                />
              </Focused>
            );
          }}
        />
      )}
    </section>
  );
}

interface FocusedProps {
  readonly isWanted: boolean;
  readonly onFocus: () => void;
  readonly onEnter: (() => void) | undefined;
  readonly class: string;
  readonly attributes: object;
  readonly children: ComponentChildren;
}

/** An article that takes the focus when the keys have led to it. */
export function Focused({ isWanted, onFocus, onEnter, attributes, children, ...rest }: FocusedProps) {
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (isWanted) {
      element.current?.focus({ preventScroll: true });
      onFocus();
    }
  });
  return (
    <article
      ref={element}
      class={rest.class}
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget && onEnter) {
          event.preventDefault();
          onEnter();
        }
      }}
      {...attributes}
    >
      {children}
    </article>
  );
}

export function FilterBar({ rows, filter, onFilter, shown }: { rows: readonly Row[]; filter: Filter; onFilter: (filter: Filter) => void; shown: number }) {
  const tools = useMemo(() => toolsOf(rows), [rows]);
  const [text, setText] = useState(filter.text);
  useEffect(() => setText(filter.text), [filter.text]);
  useEffect(() => {
    const later = text === filter.text ? undefined : setTimeout(() => onFilter({ ...filter, text }), TYPED_MS);
    return () => clearTimeout(later);
  }, [text, filter]);
  const chosen = filter.tools[0] ?? (filter.onlyTools ? '*' : '');
  return (
    <div class="bar" role="search" aria-label="Filter the steps">
      <input
        type="search"
        placeholder="Search the steps"
        aria-label="Text in the steps"
        aria-keyshortcuts="/"
        data-search=""
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <select
        aria-label="Tools"
        value={chosen}
        onChange={(event) => {
          const tool = event.currentTarget.value;
          onFilter({ ...filter, onlyTools: tool === '*', tools: tool === '' || tool === '*' ? [] : [tool] });
        }}
      >
        <option value="">All steps</option>
        {tools.length > 0 && <option value="*">Only tools</option>}
        {tools.map(([name, count]) => (
          <option value={name}>
            {name} ({count})
          </option>
        ))}
      </select>
      <label class="check">
        <input type="checkbox" checked={filter.onlyErrors} onChange={(event) => onFilter({ ...filter, onlyErrors: event.currentTarget.checked })} /> Errors
      </label>
      <span class="count" role="status">
        {isFiltering(filter) ? `${shown} of ${plural(rows.length, 'step')}` : plural(rows.length, 'step')}
      </span>
    </div>
  );
}
