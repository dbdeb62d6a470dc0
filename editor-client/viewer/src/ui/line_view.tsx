/** Lines of a file, or of a diff, with numbers and the marks of checks. */

import { useMemo, useState } from 'preact/hooks';

import { plural } from '../format.ts';
import { diffLines, folded, plainLines, type Fold, type Line } from '../lines.ts';
import type { Mark } from '../marks.ts';
import { VirtualList, type Jump } from './virtual.tsx';

interface Props {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isDiff: boolean;
  readonly label: string;
  readonly marks: ReadonlyMap<number, readonly Mark[]>;
  readonly marksBefore: ReadonlyMap<number, readonly Mark[]>;
  readonly line: number | undefined;
  readonly onMark: (mark: Mark) => void;
}

const LONGEST = 3000;

export function LineView({ before, after, isDiff, label, marks, marksBefore, line, onMark }: Props) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<Fold>>(new Set());
  const lines = useMemo(
    () => (isDiff ? folded(diffLines(before ?? '', after ?? ''), 3, [...marks.keys()]) : plainLines(after ?? before ?? '')),
    [before, after, isDiff, marks],
  );
  const shown = useMemo(() => lines.flatMap((it): readonly (Line | Fold)[] => (it.mark === 'fold' && unfolded.has(it) ? it.lines : [it])), [lines, unfolded]);
  const jump = useMemo((): Jump | undefined => {
    const index = line === undefined ? -1 : shown.findIndex((it) => it.mark !== 'fold' && it.after === line);
    return index < 0 ? { index: 0, align: 'start' } : { index, align: 'center' };
  }, [line, lines]);
  if (shown.length === 0) {
    return <p class="nothing">The file is empty.</p>;
  }
  return (
    <VirtualList
      count={shown.length}
      estimate={20}
      keyOf={(index) => index}
      jump={jump}
      attributes={{ class: `lines ${isDiff ? 'is-diff' : ''}`, role: 'region', 'aria-label': label, tabIndex: 0 }}
      row={(index) => {
        const it = shown[index];
        if (it === undefined) {
          return null;
        }
        if (it.mark === 'fold') {
          return (
            <button type="button" class="fold" onClick={() => setUnfolded(new Set(unfolded).add(it))}>
              {plural(it.lines.length, 'unchanged line')}
            </button>
          );
        }
        return <LineRow line={it} isDiff={isDiff} marks={[...((it.before > 0 && marksBefore.get(it.before)) || []), ...((it.after > 0 && marks.get(it.after)) || [])]} isCurrent={it.after === line} onMark={onMark} />;
      }}
    />
  );
}

const SIGNS = { same: ' ', added: '+', deleted: '−' } as const;

function LineRow({ line, isDiff, marks, isCurrent, onMark }: { line: Line; isDiff: boolean; marks: readonly Mark[]; isCurrent: boolean; onMark: (mark: Mark) => void }) {
  const [isWhole, setWhole] = useState(false);
  const text = isWhole ? line.text : line.text.slice(0, LONGEST);
  return (
    <div class={`line is-${line.mark} ${marks.length > 0 ? 'is-pointed' : ''} ${isCurrent ? 'is-current' : ''}`} data-line={line.after || undefined}>
      {isDiff && <span class="line-number">{line.before || ''}</span>}
      <span class="line-number">{line.after || ''}</span>
      {isDiff && <span class="sign">{SIGNS[line.mark]}</span>}
      <code>
        {text.endsWith('\r') ? text.slice(0, -1) : text}
        {text.endsWith('\r') && line.mark !== 'same' && <span class="line-end">CR</span>}
        {text.length < line.text.length && (
          <button type="button" class="more" onClick={() => setWhole(true)}>
            Show the whole line
          </button>
        )}
        {marks.map((mark) => (
          <button type="button" class="mark" onClick={() => onMark(mark)}>
            <b>{mark.name}</b> {mark.message.slice(0, 120)}
          </button>
        ))}
      </code>
    </div>
  );
}
