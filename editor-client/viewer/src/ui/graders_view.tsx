/** The graders of a trial. A failed check points to the step or file line that it is about. */

import { useLayoutEffect, useRef } from 'preact/hooks';

import { asText, dedented } from '../format.ts';
import type { Mark } from '../marks.ts';
import type { Opened } from '../opened.ts';
import { stepOf } from '../marks.ts';
import type { Check, Grader, Host, Place } from '../trace.ts';
import { LongText } from './long_text.tsx';

interface Props {
  readonly opened: Opened;
  readonly host: Host;
  readonly current: readonly [number, number] | undefined;
  readonly onGo?: (mark: Mark) => void;
  readonly isWhole?: boolean;
  /** The trial beside this one: their graders stand in the same order. */
  readonly beside?: Opened | undefined;
}

export function GradersView({ opened, host, current, onGo, isWhole = false, beside }: Props) {
  const { graders } = opened.trial;
  if (graders.length === 0) {
    return <p class="nothing">This trial was not graded.</p>;
  }
  const failed = new Set([...graders, ...(beside?.trial.graders ?? [])].filter((it) => it.status !== 'passed').map((it) => it.name));
  const failedFirst = graders
    .map((grader, place) => ({ grader, place }))
    .sort((a, b) => Number(failed.has(b.grader.name)) - Number(failed.has(a.grader.name)));
  return (
    <ul class="graders">
      {failedFirst.map(({ grader, place }) => (
        <li class={`grader is-${grader.status}`}>
          <div class="grader-head">
            <Status status={grader.status} />
            <b class="grader-name">{grader.name || grader.type}</b>
            <span class="quiet">{grader.name === '' || grader.name === grader.type ? '' : grader.type}</span>
            <span class="grader-facts">
              {grader.score !== null && `score ${number(grader.score)}`}
              {grader.weight !== null && grader.weight !== 1 && ` · weight ${number(grader.weight)}`}
              {grader.after_turn ? ` · after turn ${grader.after_turn}` : ''}
            </span>
            {grader.source && <SourceLink place={grader.source} host={host} />}
          </div>
          {grader.status === 'passed' ? <PassedWords grader={grader} /> : <Checks opened={opened} place={place} host={host} current={current} onGo={onGo} isWhole={isWhole} />}
          {grader.entry && (
            <details open={isWhole}>
              <summary>Entry in the eval</summary>
              <pre>{dedented(grader.entry)}</pre>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

function PassedWords({ grader }: { grader: Grader }) {
  return grader.feedback === '' ? null : <p class="quiet feedback">{grader.feedback}</p>;
}

function Checks({ opened, place, host, current, onGo, isWhole }: { opened: Opened; place: number; host: Host; current: Props['current']; onGo: Props['onGo']; isWhole: boolean }) {
  const checks = opened.trial.graders[place]?.checks ?? [];
  return (
    <ul class="checks">
      {opened.marks
        .filter((it) => it.grader === place)
        .map((mark) => (
          <CheckView check={checks[mark.check]} mark={mark} opened={opened} host={host} onGo={onGo} isWhole={isWhole} isCurrent={current?.[0] === place && current[1] === mark.check} />
        ))}
    </ul>
  );
}

function CheckView({ check, mark, opened, host, onGo, isCurrent, isWhole }: { check: Check | undefined; mark: Mark; opened: Opened; host: Host; onGo: Props['onGo']; isCurrent: boolean; isWhole: boolean }) {
  const element = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (isCurrent && !isWhole && element.current) {
      show(element.current, mark.check === 0);
    }
  }, [isCurrent]);
  const facts: [string, string][] = [
    ['Wanted', asText(check?.wanted)],
    ['Found', asText(check?.found) || asText(check?.actual)],
    ['Excerpt', check?.excerpt ?? ''],
  ];
  return (
    <li ref={element} class={`failed-check ${isCurrent ? 'is-current' : ''}`} data-check={`${mark.grader + 1}.${mark.check + 1}`}>
      <p class="message">
        {mark.message}{' '}
        {mark.target && onGo && (
          <button type="button" class="target" onClick={() => onGo(mark)}>
            {targetWords(opened, mark)}
          </button>
        )}
        {check?.source && <SourceLink place={check.source} host={host} />}
      </p>
      <dl class="facts">
        {facts
          .filter(([, text], index) => text !== '' && !mark.message.includes(text) && facts.findIndex((it) => it[1] === text) === index)
          .map(([name, text]) => (
            <>
              <dt>{name}</dt>
              <dd>
                <LongText text={text} lines={8} isWhole={isWhole} />
              </dd>
            </>
          ))}
      </dl>
    </li>
  );
}

/** Scrolls to a check that is not on the screen as a whole; to the first one of a grader with its head. */
function show(check: HTMLElement, isFirst: boolean): void {
  const list = check.closest('.scroller');
  const [inner, outer] = [check.getBoundingClientRect(), list?.getBoundingClientRect()];
  if (list && outer && (inner.top < outer.top || inner.bottom > outer.bottom)) {
    const top = ((isFirst ? check.closest('.grader') : null) ?? check).getBoundingClientRect().top;
    list.scrollTop += top - outer.top;
  }
}

function targetWords(opened: Opened, { target }: Mark): string {
  switch (target?.kind) {
    case 'step':
      return `Step ${target.step}`;
    case 'output':
      return target.line > 0 ? `Output, line ${target.line}` : 'Output';
    case 'file':
      return `${target.path}${target.line > 0 ? `:${target.line}` : ''}, step ${stepOf(opened.trial, target)}`;
    default:
      return '';
  }
}

function SourceLink({ place, host }: { place: Place; host: Host }) {
  const words = `${place.file}:${place.line}`;
  return host.openSource ? (
    <button type="button" class="source" onClick={() => host.openSource?.(place.file, place.line)}>
      {words}
    </button>
  ) : (
    <span class="source">{words}</span>
  );
}

export function Status({ status }: { status: string }) {
  return <span class={`status is-${status}`}>{status}</span>;
}

export function number(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
