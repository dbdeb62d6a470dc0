/** Loads trials when they are opened, and keeps the last few. */

import { useEffect, useRef, useState } from 'preact/hooks';

import { opened, type Opened } from '../opened.ts';
import type { Source } from '../trace.ts';

const KEPT = 4;

/** The trial; until then an empty text, and a sentence if it cannot be opened. */
export function useOpened(source: Source, place: number | undefined): Opened | string {
  const kept = useRef(new Map<number, Opened | string>());
  const [, redraw] = useState({});
  useEffect(() => {
    const head = place === undefined ? undefined : source.index.trials[place];
    if (place === undefined || head === undefined || kept.current.has(place)) {
      return;
    }
    const keep = (it: Opened | string) => {
      const oldest = [...kept.current.keys()].slice(0, Math.max(0, kept.current.size - KEPT + 1));
      oldest.forEach((old) => kept.current.delete(old));
      kept.current.set(place, it);
      redraw({});
    };
    source
      .trial(place)
      .then((it) => opened(place, head, it))
      .catch((error: unknown) => `The trial cannot be opened. ${error instanceof Error ? error.message : String(error)}`)
      .then(keep);
  }, [place, source]);
  return place === undefined ? '' : (kept.current.get(place) ?? '');
}
