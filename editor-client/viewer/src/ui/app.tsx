/** The viewer: which trial and step are shown, and what keys and panes do to that. */

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { align, firstDifference } from '../align.ts';
import { draftsFrom, type Origin } from '../drafts.ts';
import { filtered, isFiltering, NO_FILTER, type Filter } from '../filter.ts';
import { fromFragment, toFragment, type Place } from '../link.ts';
import type { Mark } from '../marks.ts';
import { indexOf, placeOf, resolved, type Opened } from '../opened.ts';
import { titleOf } from '../steps.ts';
import { isTimedAtAll } from '../timeline.ts';
import type { Draft, Host, Source, TrialHead } from '../trace.ts';
import { CompareView, PAIR_WORDS, shownPairs } from './compare_view.tsx';
import { copyText } from './copy.ts';
import { Conversation } from './conversation.tsx';
import { DraftDialog, Help } from './dialogs.tsx';
import { FilesPane } from './files_pane.tsx';
import { GradersView } from './graders_view.tsx';
import { Guard } from './guard.tsx';
import { Header } from './header.tsx';
import { onKeys } from './keys.ts';
import { selectedOrigin, type Selected } from './selection.ts';
import { Splitter } from './splitter.tsx';
import type { StepActions } from './step_view.tsx';
import { TimelineView } from './timeline_view.tsx';
import { TrialsView } from './trials_view.tsx';
import { useOpened } from './use_opened.ts';

const TOAST_MS = 4000;

export interface AppProps {
  readonly source: Source;
  readonly host: Host;
  readonly notices: () => string;
  readonly root: HTMLElement;
  /** Shows a trial on paper, or takes it from there. */
  readonly onShown: (opened: Opened | undefined) => void;
}

export function App({ source, host, notices, root, onShown }: AppProps) {
  const { trials } = source.index;
  const [place, setPlace] = useState<Place>(() => fromFragment(trials, host.fragment?.() ?? '') ?? firstPlace(trials));
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const [jump, setJump] = useState<object>({});
  const [base, setBase] = useState('before');
  const [byTime, setByTime] = useState(true);
  const [showsTrials, setShowsTrials] = useState(trials.length > 1);
  const [dialog, setDialog] = useState<'help' | readonly Draft[] | undefined>();
  const [said, setSaid] = useState('');
  const [toast, setToast] = useState('');
  const focus = useRef(-1);

  const left = useOpened(source, place.trial);
  const right = useOpened(source, place.beside);
  const open = typeof left === 'object' ? left : undefined;
  const other = place.beside !== undefined && typeof right === 'object' ? right : undefined;
  const pairs = useMemo(() => (open && other ? align(open.rows, other.rows) : undefined), [open, other]);
  const first = useMemo(() => (pairs ? firstDifference(pairs) : undefined), [pairs]);
  const [pairAt, setPairAt] = useState<number>();

  const at = useMemo(() => (open ? resolved(open, place) : place), [open, place]);
  const selected = at.step ?? 0;
  const pair = pairAt ?? (place.step === undefined ? first : pairs?.findIndex((it) => it.left?.n === at.step)) ?? 0;
  const check = at.check;

  useEffect(() => onShown(open), [open]);
  useEffect(() => {
    const hide = toast === '' ? undefined : setTimeout(() => setToast(''), TOAST_MS);
    return () => clearTimeout(hide);
  }, [toast]);
  useEffect(() => setPairAt(undefined), [place.trial, place.beside]);
  useEffect(() => host.onFragment?.(toFragment(trials, at)), [at]);
  useEffect(() => host.listen?.((fragment) => show(fromFragment(trials, fragment))), []);

  const show = useCallback((next: Place | undefined) => {
    if (next !== undefined) {
      setPairAt(undefined);
      setPlace(next);
      setJump({});
    }
  }, []);
  const toStep = (n: number, jumps = true) => {
    (jumps ? show : setPlace)({ trial: place.trial, ...(place.beside !== undefined && { beside: place.beside }), step: n });
    const row = open?.rows[indexOf(open.rows, n)];
    setSaid(row ? `Step ${row.n} of ${open?.rows.length}: ${titleOf(row)}` : '');
  };
  const toPair = (index: number, jumps = true) => {
    const it = pairs?.[index];
    if (it === undefined) {
      return;
    }
    setPairAt(index);
    if (jumps) {
      setJump({});
    }
    if (it.left !== undefined) {
      setPlace({ trial: place.trial, step: it.left.n, ...(place.beside !== undefined && { beside: place.beside }) });
    }
    setSaid(`Pair ${index + 1} of ${pairs?.length}: ${PAIR_WORDS[it.state]}`);
  };
  const toMark = (mark: Mark, of: Opened | undefined = open) => {
    if (of === undefined) {
      return;
    }
    setFilter(NO_FILTER);
    const to = placeOf(of, mark);
    if (of === other && pairs) {
      toPair(pairs.findIndex((it) => it.right?.n === to.step));
      return;
    }
    show({ step: selected, ...to, ...(place.beside !== undefined && { beside: place.beside }) });
    setSaid(`Failed check of ${mark.name}: ${mark.message}`);
  };
  const copy = async (text: string, what: string) => setToast((await copyText(text, root)) ? `${what} copied` : `${what} could not be copied: the browser does not allow it`);
  const copyRecording = async () => {
    const recording = await source.recording?.(place.trial).catch(() => undefined);
    await (recording ? copy(JSON.stringify(recording, null, 2), 'Recording') : setToast('This page has no recording of the trial: it is too large'));
  };
  const copyLink = (n: number) => copy(`${host.address?.() ?? ''}${toFragment(trials, n === selected ? at : { trial: place.trial, step: n })}`, 'Link');
  const templates = source.index.check_templates ?? [];
  const makeCheck = (origin: Omit<Origin, 'task'>) => setDialog(draftsFrom(templates, { task: trials[place.trial]?.task ?? '', ...origin }));
  const actionsOf = (side: Opened): StepActions => ({
    select: (n) => toStep(n, false),
    showCheck: (mark) => toMark(mark, side),
    copyLink: (n) => void copyLink(n),
    ...(templates.length > 0 && { makeCheck: (row) => makeCheck(chosenOrigin(side, row.n, selectedOrigin(root))) }),
  });
  const compare = () => {
    if (place.beside !== undefined) {
      show({ trial: place.trial, step: selected });
      return;
    }
    const beside = counterpart(trials, place.trial);
    if (beside !== undefined) {
      show({ trial: place.trial, beside });
    }
  };
  const nextMark = (by: number) => {
    const marks = (open?.marks ?? []).filter((it) => it.target !== undefined);
    const at = check === undefined ? -1 : marks.findIndex((it) => it.grader === check[0] && it.check === check[1]);
    const next = marks[at < 0 ? (by > 0 ? 0 : marks.length - 1) : at + by];
    if (next !== undefined) {
      toMark(next);
      return;
    }
    const places = trials.map((_, index) => (place.trial + by * (index + 1) + by * trials.length + trials.length * 2) % trials.length);
    const failed = places.find((it) => isFailed(trials[it]));
    if (failed === undefined || (failed === place.trial && marks.length === 0)) {
      setToast('No check failed');
    } else {
      show({ trial: failed });
      setSaid(`Trial ${trials[failed]?.trial} of ${trials[failed]?.name}`);
    }
  };
  const nextStep = (by: number) => {
    // The filter hides the others.
    if (pairs && open && other) {
      const next = neighbour(shownPairs(open, other, pairs, filter), pair, by);
      focus.current = next;
      toPair(next);
    } else if (open) {
      const rows = isFiltering(filter) ? filtered(open.rows, filter, new Set(open.marksByStep.keys())) : open.rows;
      const next = neighbour(rows.map((it) => it.n), selected, by);
      focus.current = next;
      toStep(next);
    }
  };
  const nextDifference = (by: number) => {
    for (let index = pair + by; pairs?.[index] !== undefined; index += by) {
      if (pairs[index]?.state !== 'same') {
        focus.current = index;
        toPair(index);
        return;
      }
    }
    setToast(pairs ? 'No more differences' : 'Compare two trials first');
  };
  const commands: Record<string, () => void> = {
    j: () => nextStep(1),
    k: () => nextStep(-1),
    f: () => nextMark(1),
    F: () => nextMark(-1),
    n: () => nextDifference(1),
    N: () => nextDifference(-1),
    d: () => setBase(base === 'start' ? (pairs ? 'other' : 'before') : base === 'before' ? (pairs ? 'other' : 'start') : 'start'),
    '/': () => root.querySelector<HTMLElement>('[data-search]')?.focus(),
    '[': () => show(place.trial > 0 ? { trial: place.trial - 1 } : undefined),
    ']': () => show(place.trial + 1 < trials.length ? { trial: place.trial + 1 } : undefined),
    t: () => setShowsTrials(!showsTrials),
    c: compare,
    m: () => templates.length > 0 && makeCheck(chosenOrigin(open, selected, selectedOrigin(root))),
    y: () => void copyLink(selected),
    '?': () => setDialog('help'),
    Enter: () => root.querySelector<HTMLElement>(`.step.is-selected .toggle`)?.click(),
  };
  const latest = useRef(commands);
  latest.current = commands;
  useLayoutEffect(() => onKeys(host.keysFrom?.() ?? root, (key) => latest.current[key]), []);

  const isTimed = open !== undefined && [open, other].every((it) => it === undefined || isTimedAtAll(it.rows, it.trial.duration_ms));
  const head = trials[place.trial];
  if (head === undefined) {
    return <p class="nothing">This page has no trials.</p>;
  }
  const besideHead = place.beside === undefined ? undefined : trials[place.beside];
  return (
    <>
      <Header index={source.index} head={head} trial={open?.trial} beside={besideHead && { head: besideHead, trial: other?.trial }}>
        {trials.length > 1 && (
          <button type="button" aria-pressed={showsTrials} onClick={() => setShowsTrials(!showsTrials)}>
            Trials
          </button>
        )}
        {trials.length > 1 && (
          <button type="button" aria-pressed={place.beside !== undefined} onClick={compare}>
            Compare
          </button>
        )}
        {source.recording && (
          <button type="button" onClick={() => void copyRecording()}>
            Copy as recording
          </button>
        )}
        <button type="button" aria-label="Keys" aria-keyshortcuts="?" onClick={() => setDialog('help')}>
          ?
        </button>
      </Header>
      <div class={`timelines ${isTimed ? 'is-timed' : ''}`}>
        {open && open.rows.length > 0 && <TimelineView opened={open} selected={pairs ? indexedStep(pairs, pair, 'left') : selected} byTime={byTime && isTimed} label={`Steps of trial ${head.trial}`} onSelect={toStep} />}
        {other && pairs && <TimelineView opened={other} selected={indexedStep(pairs, pair, 'right')} byTime={byTime && isTimed} label={`Steps of trial ${other.head.trial}`} onSelect={(n) => toPair(pairs.findIndex((it) => it.right?.n === n))} />}
        {isTimed && (
          <button type="button" class="scale" aria-pressed={byTime} onClick={() => setByTime(!byTime)} title="Draw each step as long as it took">
            Time
          </button>
        )}
      </div>
      <div class={`body ${showsTrials ? 'with-trials' : ''}`}>
        {showsTrials && <TrialsView trials={trials} current={place.trial} beside={place.beside} onOpen={(trial) => show({ trial })} onCompare={(beside) => show({ trial: place.trial, beside })} />}
        <main class="work">
          {typeof left === 'string' ? (
            <p class="nothing" role={left === '' ? 'status' : 'alert'}>{left === '' ? 'Opening the trial…' : left}</p>
          ) : (
            <Guard key={place.trial}>
              <div class="upper">
                {other && pairs && open ? (
                  <CompareView left={open} right={other} pairs={pairs} selected={pair} first={first} filter={filter} onFilter={setFilter} onSelect={(index) => toPair(index, false)} actions={actionsOf} jump={jump} focus={focus} />
                ) : (
                  open && <Conversation opened={open} selected={selected} line={at.file === undefined ? at.line : undefined} filter={filter} onFilter={setFilter} actions={actionsOf(open)} jump={jump} focus={focus} />
                )}
                <Splitter label="Width of the conversation" variable="--left" initial={pairs ? 62 : 54} isVertical />
                {open && (
                  <FilesPane
                    opened={open}
                    other={other}
                    step={pairs ? indexedStep(pairs, pair, 'left') : selected}
                    otherStep={pairs ? indexedStep(pairs, pair, 'right') : 0}
                    base={base}
                    onBase={setBase}
                    file={at.file}
                    line={at.line}
                    onFile={(file) => setPlace({ trial: place.trial, step: selected, file, ...(place.beside !== undefined && { beside: place.beside }) })}
                    onMark={(mark) => toMark(mark)}
                    onMakeCheck={templates.length > 0 ? (path) => makeCheck({ ...selectedInFiles(root), path }) : undefined}
                  />
                )}
              </div>
              <Splitter label="Height of the upper panes" variable="--upper" initial={68} isVertical={false} />
              <section class="pane lower" aria-label="Graders">
                <div class="bar">
                  <h2>Graders</h2>
                  <span class="count">{open && counted(open)}</span>
                </div>
                <div class="scroller lower-lists" tabIndex={0} role="group" aria-label="Verdicts of the graders">
                  {open && <GradersView opened={open} host={host} current={check} onGo={toMark} beside={other} />}
                  {other && <GradersView opened={other} host={host} current={undefined} onGo={(mark) => toMark(mark, other)} beside={open} />}
                </div>
              </section>
            </Guard>
          )}
        </main>
      </div>
      <p class="said" role="status">
        {said}
      </p>
      <p class={`toast ${toast === '' ? '' : 'is-shown'}`} role="status">
        {toast}
      </p>
      {dialog === 'help' && <Help notices={notices()} onClose={() => setDialog(undefined)} />}
      {typeof dialog === 'object' && <DraftDialog drafts={dialog} host={host} onClose={() => setDialog(undefined)} onCopy={(text) => void copy(text, 'Check')} />}
    </>
  );
}

function counted({ trial }: Opened): string {
  const words = (['failed', 'error', 'passed'] as const).map((status) => [trial.graders.filter((it) => it.status === status).length, status] as const);
  return words.flatMap(([count, status]) => (count > 0 ? [`${count} ${status}`] : [])).join(', ');
}

function isFailed(head: TrialHead | undefined): boolean {
  return head?.status !== 'passed' && head?.status !== 'skipped';
}

/** The number after this one, or before it; at the end, the number itself. */
function neighbour(numbers: readonly number[], of: number, by: number): number {
  return (by > 0 ? numbers.find((it) => it > of) : numbers.findLast((it) => it < of)) ?? of;
}

function firstPlace(trials: Source['index']['trials']): Place {
  return { trial: Math.max(0, trials.findIndex(isFailed)) };
}

/** The trial to compare with: of the same task, and if possible with another verdict. */
function counterpart(trials: Source['index']['trials'], place: number): number | undefined {
  const head = trials[place];
  const others = trials.flatMap((it, index) => (index !== place && it.task === head?.task ? [index] : []));
  return others.find((it) => trials[it]?.status !== head?.status) ?? others[0] ?? (trials.length > 1 ? Number(place === 0) : undefined);
}

/** What is selected elsewhere says nothing about a file. */
function selectedInFiles(root: HTMLElement): Pick<Selected, 'selected'> {
  const { selected, path } = selectedOrigin(root);
  return selected !== undefined && path !== undefined ? { selected } : {};
}

/** What is selected in a file stands for itself; everything else belongs to a step. */
function chosenOrigin(open: Opened | undefined, selected: number, { n = selected, ...chosen }: Selected): Omit<Origin, 'task'> {
  const step = open?.rows[indexOf(open.rows, n)]?.step;
  return step && chosen.path === undefined ? { step, ...chosen } : chosen;
}

/** The step of one side at a pair, or the last one before it. */
function indexedStep(pairs: readonly { readonly left: { readonly n: number } | undefined; readonly right: { readonly n: number } | undefined }[], at: number, side: 'left' | 'right'): number {
  return pairs.slice(0, at + 1).findLast((it) => it[side] !== undefined)?.[side]?.n ?? 0;
}
