/** Two trials side by side, in one list, so that they scroll together. */

import type { RefObject } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Pair, PairState } from '../align.ts';
import { filtered, isFiltering, type Filter } from '../filter.ts';
import type { Opened } from '../opened.ts';
import { isError, type Row } from '../steps.ts';
import { FilterBar, Focused, HEADROOM } from './conversation.tsx';
import { StepView, type StepActions } from './step_view.tsx';
import { VirtualList, type Jump } from './virtual.tsx';

interface Props {
  readonly left: Opened;
  readonly right: Opened;
  readonly pairs: readonly Pair[];
  readonly selected: number;
  readonly first: number | undefined;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  readonly onSelect: (index: number) => void;
  readonly actions: (side: Opened) => StepActions;
  readonly jump: object;
  readonly focus: RefObject<number>;
}

export const PAIR_WORDS: Readonly<Record<PairState, string>> = {
  same: 'the same',
  reworded: 'other words',
  result: 'other result',
  changed: 'other arguments',
  'only-left': 'only left',
  'only-right': 'only right',
};

export function CompareView({ left, right, pairs, selected, first, filter, onFilter, onSelect, actions, jump, focus }: Props) {
  const shown = useMemo(() => shownPairs(left, right, pairs, filter), [pairs, filter, left, right]);
  const to = useMemo((): Jump => ({ index: shown.findIndex((it) => it >= selected), align: 'start' }), [jump, shown]);
  const both = useMemo(() => pairs.flatMap((it) => it.left ?? it.right ?? []), [pairs]);
  const differing = pairs.filter((it) => it.state !== 'same').length;
  return (
    <section class="pane comparison" aria-label="Both conversations">
      <FilterBar rows={both} filter={filter} onFilter={onFilter} shown={shown.length} />
      <div class="bar">
        <h2>
          {left.head.name || left.head.task}, trial {left.head.trial}
        </h2>
        <h2>
          {right.head.name || right.head.task}, trial {right.head.trial}
        </h2>
        <span class="count" role="status">
          {differing === 0 ? 'No step differs' : `${differing} of ${pairs.length} steps differ`}
        </span>
      </div>
      <VirtualList
        key={`${left.place} ${right.place}`}
        count={shown.length}
        estimate={64}
        headroom={HEADROOM}
        keyOf={(index) => shown[index] ?? -1}
        jump={to}
        attributes={{ role: 'feed', 'aria-label': 'Steps of both trials', tabIndex: -1, class: 'steps' }}
        row={(index) => {
          const place = shown[index] ?? 0;
          const pair = pairs[place];
          if (pair === undefined) {
            return null;
          }
          const isSelected = place === selected;
          return (
            <Focused
              isWanted={isSelected && focus.current === place}
              onFocus={() => (focus.current = -1)}
              onEnter={isSelected ? undefined : () => onSelect(place)}
              class={`pair is-${pair.state} ${isSelected ? 'is-selected' : ''}`}
              attributes={{ 'aria-posinset': index + 1, 'aria-setsize': shown.length, 'aria-current': isSelected ? 'step' : undefined, 'data-pair': place }}
            >
              {pair.state !== 'same' && (
                <p class="pair-state">
                  {place === first ? 'First difference: ' : ''}
                  {PAIR_WORDS[pair.state]}
                </p>
              )}
              <Side row={pair.left} opened={left} isOpen={isSelected || opens(pair)} isSelected={isSelected} filter={filter} actions={{ ...actions(left), select: () => onSelect(place) }} />
              <Side row={pair.right} opened={right} isOpen={isSelected || opens(pair)} isSelected={isSelected} filter={filter} actions={{ ...actions(right), select: () => onSelect(place) }} />
            </Focused>
          );
        }}
      />
    </section>
  );
}

/** The places of the pairs that the filter shows. */
export function shownPairs(left: Opened, right: Opened, pairs: readonly Pair[], filter: Filter): number[] {
  if (!isFiltering(filter)) {
    return pairs.map((_, index) => index);
  }
  const kept = new Set([...filtered(rows(pairs, 'left'), filter, new Set(left.marksByStep.keys())), ...filtered(rows(pairs, 'right'), filter, new Set(right.marksByStep.keys()))]);
  return pairs.flatMap((it, index) => ((it.left && kept.has(it.left)) || (it.right && kept.has(it.right)) ? [index] : []));
}

function opens(pair: Pair): boolean {
  return pair.state === 'changed' || pair.state === 'result';
}

function rows(pairs: readonly Pair[], side: 'left' | 'right'): Row[] {
  return pairs.flatMap((it) => it[side] ?? []);
}

function Side({ row, opened, isOpen, isSelected, filter, actions }: { row: Row | undefined; opened: Opened; isOpen: boolean; isSelected: boolean; filter: Filter; actions: StepActions }) {
  if (row === undefined) {
    return <div class="side is-absent" />;
  }
  return (
    <div class={`side step is-${row.step.kind} ${isError(row.step) ? 'is-error' : ''}`}>
      <StepView row={row} marks={opened.marksByStep.get(row.n) ?? []} changed={opened.changes.get(row.n) ?? []} find={[filter.text]} isOpen={isOpen} isSelected={isSelected} onToggle={() => actions.select(row.n)} actions={actions} />
    </div>
  );
}
