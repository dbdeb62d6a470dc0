/** Text of the trace: always text nodes, clipped when long, with the wanted parts marked. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { amount, plural } from '../format.ts';

const MORE = 100_000;
const MOST_HITS = 500;

interface Props {
  readonly text: string;
  readonly lines?: number;
  readonly find?: readonly string[];
  readonly isWhole?: boolean;
  readonly label?: string;
}

export function LongText({ text, lines = 16, find = [], isWhole = false, label }: Props) {
  const first = clip(text, lines);
  const [more, setMore] = useState(0);
  const shown = isWhole || more > 0 ? text.slice(0, isWhole ? text.length : Math.max(more, first.length)) : first;
  const rest = text.length - shown.length;
  return (
    <div class="long-text" aria-label={label} role={label === undefined ? undefined : 'group'}>
      <pre class={rest > 0 ? 'clipped' : ''}>{marked(shown, find)}</pre>
      {rest > 0 && (
        <button type="button" class="more" onClick={() => setMore(shown.length === first.length ? Math.max(MORE, first.length) : more + MORE)}>
          {rest > MORE ? `Show more (${amount(rest)} characters left)` : `Show all (${plural(countLines(text), 'line')})`}
        </button>
      )}
      {more > 0 && !isWhole && (
        <button type="button" class="more" onClick={() => setMore(0)}>
          Show less
        </button>
      )}
    </div>
  );
}

/** The first lines, when they leave out enough for a button. */
function clip(text: string, lines: number): string {
  let end = -1;
  for (let count = 0; count < lines; count++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) {
      end = text.length;
      break;
    }
  }
  const isNearlyAll = text.length - end < 160 && text.indexOf('\n', text.indexOf('\n', end + 1) + 1) < 0;
  const whole = isNearlyAll ? text.length : end;
  const most = lines * 200;
  return whole > most ? text.slice(0, most) : text.slice(0, whole);
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) {
    count++;
  }
  return count;
}

/** Text with `<mark>` around what is looked for, whatever its case. */
export function marked(text: string, find: readonly string[]): ComponentChildren {
  const words = find.map((it) => it.trim().toLowerCase()).filter((it) => it !== '');
  if (words.length === 0) {
    return text;
  }
  const lower = text.toLowerCase();
  // Some letters are longer in lower case. Then places in it are none in the text.
  if (lower.length !== text.length) {
    return text;
  }
  const parts: ComponentChildren[] = [];
  let at = 0;
  while (parts.length < 2 * MOST_HITS) {
    let next = -1;
    let length = 0;
    for (const word of words) {
      const found = lower.indexOf(word, at);
      if (found >= 0 && (next < 0 || found < next)) {
        [next, length] = [found, word.length];
      }
    }
    if (next < 0) {
      break;
    }
    parts.push(text.slice(at, next), <mark>{text.slice(next, next + length)}</mark>);
    at = next + length;
  }
  return [...parts, text.slice(at)];
}
