/** The trace of a run, in the viewer of trace pages. A failed check of the editor opens the step that it points to. */

import { useEffect, useRef, useState } from 'preact/hooks';

import { toFragment } from '../../../viewer/src/link.ts';
import { type Host, mount, type Source } from '../../../viewer/src/mount.tsx';
import { readRecording, readTrace, readTrial } from '../api.ts';
import { insertCheck } from '../commands.ts';
import { documents } from '../editor/documents.ts';
import { keep } from '../editor/kept.ts';
import { findCheck } from '../logic/failedCheck.ts';
import { useValue } from '../observable.ts';
import { entries, type TracePlace, trace } from '../studio.ts';

export function Trace() {
  const place = useValue(trace);
  const root = useRef<HTMLDivElement>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    let isCurrent = true;
    let leave = () => {};
    setError('');
    if (place !== null) {
      show(place, () => (isCurrent ? root.current : null)).then(
        (it) => (isCurrent ? (leave = it) : it()),
        (it: Error) => isCurrent && setError(it.message),
      );
    }
    return () => {
      isCurrent = false;
      leave();
    };
  }, [place]);
  return (
    <>
      {place === null && <p class="nothing">Open a run, or a failed check of the editor, to see its steps.</p>}
      {error !== '' && <p class="notice error">{error}</p>}
      <div class="trace" ref={root} key={place?.run} />
    </>
  );
}

async function show(place: TracePlace, root: () => HTMLElement | null): Promise<() => void> {
  const index = await readTrace(place.run);
  const known = new Map<number, ReturnType<typeof readTrial>>();
  const source: Source = {
    index,
    trial(n) {
      const read = known.get(n) ?? readTrial(place.run, n);
      known.set(n, read);
      read.catch(() => known.delete(n));
      return read;
    },
    recording: (n) => readRecording(place.run, n),
  };
  const fragment = place.fragment ?? (await fragmentOf(place, source));
  const host: Host = {
    fragment: () => fragment,
    onFragment: (it) => keep({ trace: { run: place.run, fragment: it } }),
    openSource(file, line) {
      const path = entries.value.find((it) => it.path === file || file.endsWith(`/${it.path}`))?.path ?? file;
      void documents.goTo(path, { line: line - 1 });
    },
    makeCheck({ task, yaml }) {
      root()?.querySelector<HTMLDialogElement>('dialog[open]')?.close();
      void insertCheck(index.run?.eval_path ?? '', task, yaml);
    },
  };
  const element = root();
  return element === null ? () => {} : mount(element, source, host);
}

/** The first trial that has the check; without one, the first failed trial of the task. */
async function fragmentOf({ task, check }: TracePlace, { index, trial }: Source): Promise<string> {
  const heads = index.trials.map((it, place) => ({ ...it, place }));
  const failed = heads.filter((it) => it.status !== 'passed' && (task === undefined || it.task === task));
  if (check !== undefined) {
    for (const { place } of failed) {
      const found = findCheck(await trial(place), check);
      if (found !== null) {
        return toFragment(index.trials, { trial: place, check: found });
      }
    }
  }
  const first = failed[0] ?? heads.find((it) => it.task === task);
  return first === undefined ? '' : toFragment(index.trials, { trial: first.place });
}
