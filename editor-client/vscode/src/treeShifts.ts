/** What one change of a file does to the items behind it: their lines, pointers and places change alike. */

import type { Runnable, TreeChanges } from './protocol';

type Shifts = Pick<TreeChanges, 'moved' | 'pointers' | 'places'>;

/** The members of an item that shifts change. `parent` is the key of its parent. */
export function shifted(it: Runnable, parent: string | null, shifts: Shifts): Partial<Runnable> {
  const { start, end } = it.range;
  const lines = shifts.moved.find(({ uri, line }) => uri === it.uri && start.line >= line)?.lines;
  const place = shifts.places.find((one) => one.parent === parent && (it.index ?? 0) >= one.index)?.by;
  const pointer = shifts.pointers.map((one) => renumbered(it, one)).find((found) => found !== undefined);
  return {
    ...(lines !== undefined && {
      range: { start: { ...start, line: start.line + lines }, end: { ...end, line: end.line + lines } },
    }),
    ...(place !== undefined && { index: (it.index ?? 0) + place }),
    ...(pointer && { pointer }),
  };
}

function renumbered(
  it: Runnable,
  { uri, list, index, by }: TreeChanges['pointers'][number],
): Runnable['pointer'] | undefined {
  const own = it.pointer[list.length];
  const isBehind = typeof own === 'number' && own >= index && list.every((part, depth) => part === it.pointer[depth]);
  return uri === it.uri && isBehind ? [...list, own + by, ...it.pointer.slice(list.length + 1)] : undefined;
}
