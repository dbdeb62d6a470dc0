/** The timeline: turns, steps and tokens over time. It is a slider over the steps. */

import { useMemo, useRef, useState } from 'preact/hooks';

import { duration } from '../format.ts';
import { indexOf, type Opened } from '../opened.ts';
import { gist, titleOf } from '../steps.ts';
import { rowAt, timelineOf } from '../timeline.ts';

interface Props {
  readonly opened: Opened;
  readonly selected: number;
  readonly byTime: boolean;
  readonly label: string;
  readonly onSelect: (n: number) => void;
}

const WIDTH = 1000;
/** More stripes than this are a grey. */
const MOST_TURNS = 200;

export function TimelineView({ opened, selected, byTime, label, onSelect }: Props) {
  const { rows, marksByStep } = opened;
  const timeline = useMemo(() => timelineOf(rows, byTime), [rows, byTime]);
  const [pointed, setPointed] = useState<number>();
  const element = useRef<HTMLDivElement>(null);
  const at = indexOf(rows, selected);
  const select = (index: number) => onSelect(rows[Math.min(rows.length - 1, Math.max(0, index))]?.n ?? 0);
  const indexUnder = (event: MouseEvent) => {
    const box = element.current?.getBoundingClientRect();
    return box === undefined ? 0 : rowAt(timeline, (event.clientX - box.left) / box.width);
  };
  const describe = (index: number) => {
    const row = rows[index];
    return row === undefined ? '' : [`Step ${row.n}`, titleOf(row), gist(row.step).slice(0, 60), row.step.at_ms === null ? '' : duration(row.step.at_ms)].filter(Boolean).join(' · ');
  };
  const moves: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowDown: at + 1, PageUp: at - 10, PageDown: at + 10, Home: 0, End: rows.length - 1 };
  const [from = 0, to = 0] = timeline.spans[at] ?? [];
  const shown = pointed === undefined ? undefined : timeline.spans[pointed];
  return (
    <div
      ref={element}
      class="timeline"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={Math.max(1, rows.length)}
      aria-valuenow={at + 1}
      aria-valuetext={describe(at)}
      onClick={(event) => select(indexUnder(event))}
      onPointerMove={(event) => setPointed(indexUnder(event))}
      onPointerLeave={() => setPointed(undefined)}
      onKeyDown={(event) => {
        const index = moves[event.key];
        if (index !== undefined) {
          event.preventDefault();
          event.stopPropagation();
          select(index);
        }
      }}
    >
      <svg viewBox={`0 0 ${WIDTH} 40`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        {timeline.turns.length <= MOST_TURNS && timeline.turns.map((it, index) => (
          <rect class={`turn ${index % 2 === 0 ? 'even' : 'odd'}`} x={it.from * WIDTH} y={0} width={Math.max(0, (timeline.turns[index + 1]?.from ?? 1) - it.from) * WIDTH} height={40} />
        ))}
        {timeline.tokens.length > 0 && (
          <path class="tokens" d={`M0 40 ${timeline.tokens.map((it, index) => `L${((timeline.spans[index]?.[0] ?? 0) * WIDTH).toFixed(1)} ${(40 - it * 38).toFixed(1)}`).join(' ')} L${WIDTH} ${40 - (timeline.tokens.at(-1) ?? 0) * 38} L${WIDTH} 40 Z`} />
        )}
        {timeline.segments.map((it) => {
          const width = Math.max(1.2, (it.to - it.from) * WIDTH - 0.8);
          return (
            <>
              <rect class={`segment is-${it.kind}`} x={it.from * WIDTH} y={13} width={width} height={14} />
              {it.failed > 0 && <rect class="segment bad" x={it.from * WIDTH} y={27 - Math.max(3, 14 * it.failed)} width={width} height={Math.max(3, 14 * it.failed)} />}
            </>
          );
        })}
        {[...marksByStep.keys()].map((n) => {
          const x = (timeline.spans[indexOf(rows, n)]?.[0] ?? 0) * WIDTH;
          return <rect class="flag" x={x} y={3} width={3} height={34} />;
        })}
        <rect class="cursor" x={from * WIDTH} y={0.5} width={Math.max(3, (to - from) * WIDTH)} height={39} />
      </svg>
      {shown !== undefined && pointed !== undefined && (
        <span class={`pointed-step ${shown[0] > 0.6 ? 'at-right' : ''}`} style={shown[0] > 0.6 ? { right: `${(1 - shown[0]) * 100}%` } : { left: `${shown[0] * 100}%` }}>
          {describe(pointed)}
        </span>
      )}
    </div>
  );
}
