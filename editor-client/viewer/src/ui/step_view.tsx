/** One step of the conversation: a message, or a call with its result. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { duration, firstLine, isRecord, plural, resultText } from '../format.ts';
import type { Mark } from '../marks.ts';
import { gist, isError, KIND_WORDS, titleOf, type Row } from '../steps.ts';
import { LongText, marked } from './long_text.tsx';

const SETTLED_MS = 150;

export interface StepActions {
  select(n: number): void;
  showCheck(mark: Mark): void;
  copyLink(n: number): void;
  makeCheck?(row: Row): void;
}

interface Props {
  readonly row: Row;
  readonly marks: readonly Mark[];
  readonly changed: readonly string[];
  readonly find: readonly string[];
  readonly isOpen: boolean;
  readonly isSelected?: boolean;
  /** The output's line that the chosen check points to. */
  readonly line?: number | undefined;
  readonly actions?: StepActions;
  readonly onToggle?: () => void;
  /** Prints everything, and nothing to click. */
  readonly isWhole?: boolean;
  /** Lines of the output that checks point to. */
  readonly lines?: ReadonlyMap<number, readonly Mark[]>;
}

export function StepView(props: Props) {
  const { row, isOpen, isWhole = false, actions } = props;
  const { step } = row;
  const title = titleOf(row);
  const failed = isError(step);
  const headMarks = props.marks.filter((it) => !(it.target?.kind === 'output' && props.lines?.has(it.target.line)));
  return (
    <>
      <header class="step-head" onClick={() => actions?.select(row.n)}>
        <span class="step-number">{row.n > 0 ? row.n : ''}</span>
        <span class={`kind ${failed ? 'bad' : ''}`}>
          {step.call ? <code>{title}</code> : title}
          {failed && step.call && <span class="failed-word"> failed</span>}
        </span>
        <span class="gist">{step.call && <code>{marked(gist(step), props.find)}</code>}</span>
        <span class="step-facts">
          {props.changed.length > 0 && <span class="touched">{props.changed.length === 1 ? props.changed[0]?.split('/').at(-1) : plural(props.changed.length, 'file')}</span>}
          {facts(row)}
        </span>
        {actions && step.call && (
          <button
            type="button"
            class="toggle"
            aria-expanded={isOpen}
            aria-label={`Arguments and result of step ${row.n}`}
            onClick={(event) => {
              event.stopPropagation();
              props.onToggle?.();
            }}
          />
        )}
      </header>
      {headMarks.length > 0 && <Marks marks={headMarks} actions={actions} />}
      {step.call ? <CallBody {...props} /> : <Message {...props} isWhole={isWhole} />}
      {actions && props.isSelected && (
        <div class="step-actions">
          <button type="button" onClick={() => actions.copyLink(row.n)}>
            Copy link
          </button>
          {actions.makeCheck && (
            <button type="button" onMouseDown={(event) => event.preventDefault()} onClick={() => actions.makeCheck?.(row)}>
              Make a check from this
            </button>
          )}
        </div>
      )}
    </>
  );
}

function facts({ step }: Row): ComponentChildren {
  const tokens = (step.tokens_in ?? 0) + (step.tokens_out ?? 0);
  const words = [tokens > 0 && `${plural(tokens, 'token')}`, duration(step.duration_ms)].filter(Boolean);
  return words.join(' · ');
}

function Marks({ marks, actions }: { marks: readonly Mark[]; actions: StepActions | undefined }) {
  return (
    <ul class="marks" aria-label="Failed checks that point here">
      {marks.map((mark) => (
        <li>
          <button type="button" class="mark" onClick={() => actions?.showCheck(mark)}>
            <b>{mark.name}</b> {firstLine(mark.message, 200)}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Message({ row, find, isOpen, isWhole, lines, line, actions }: Props & { isWhole: boolean }) {
  const text = row.step.text;
  if (text === '') {
    return <p class="empty">{KIND_WORDS[row.step.kind] ?? 'Event'} without a text</p>;
  }
  if (row.isOutput && lines !== undefined && lines.size > 0) {
    return <OutputLines text={text} find={find} lines={lines} isWhole={isWhole} line={line} actions={actions} />;
  }
  const quiet = row.step.kind === 'reasoning' || row.step.kind === 'system';
  return <LongText text={text} find={find} lines={isOpen ? 60 : quiet ? 4 : 16} isWhole={isWhole} />;
}

/** The output around the lines that checks point to, each with its number. */
function OutputLines({ text, find, lines, isWhole, line: current, actions }: { text: string; find: readonly string[]; lines: ReadonlyMap<number, readonly Mark[]>; isWhole: boolean; line: number | undefined; actions: StepActions | undefined }) {
  const all = text.split('\n');
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const line of [...lines.keys()].filter((it) => it >= 1 && it <= all.length).sort((a, b) => a - b)) {
    if (line - 1 > from) {
      parts.push(<LongText key={`before-${line}`} text={all.slice(from, line - 1).join('\n')} find={find} lines={8} isWhole={isWhole} />);
    }
    parts.push(
      <PointedLine key={line} line={line} text={all[line - 1] ?? ''} find={find} isCurrent={line === current} />,
      <Marks key={`marks-${line}`} marks={lines.get(line) ?? []} actions={actions} />,
    );
    from = line;
  }
  if (from < all.length) {
    parts.push(<LongText key="rest" text={all.slice(from).join('\n')} find={find} lines={8} isWhole={isWhole} />);
  }
  return <div class="output-lines">{parts}</div>;
}

function PointedLine({ line, text, find, isCurrent }: { line: number; text: string; find: readonly string[]; isCurrent: boolean }) {
  const element = useRef<HTMLPreElement>(null);
  useEffect(() => {
    // The list first scrolls to the step, and measures it.
    const later = isCurrent ? setTimeout(() => element.current?.scrollIntoView({ block: 'nearest' }), SETTLED_MS) : undefined;
    return () => clearTimeout(later);
  }, [isCurrent]);
  return (
    <pre ref={element} class={`pointed-line ${isCurrent ? 'is-current' : ''}`} data-output-line={line}>
      <span class="line-number">{line}</span>
      {marked(text, find)}
    </pre>
  );
}

function CallBody({ row, find, isOpen, isWhole = false }: Props) {
  const call = row.step.call;
  if (!call) {
    return null;
  }
  const result = resultText(call.result);
  if (!isOpen && !isWhole) {
    const line = firstLine(result) || firstLine(call.error ?? '');
    return line === '' ? null : <pre class="result-line">{marked(line, find)}</pre>;
  }
  return (
    <div class="call">
      <Arguments value={call.arguments} find={find} isWhole={isWhole} />
      {call.error && call.error !== result && (
        <div class="part is-failed">
          <h4>Error</h4>
          <LongText text={call.error} find={find} lines={14} isWhole={isWhole} />
        </div>
      )}
      <div class="part">
        <h4>Result</h4>
        {call.result === null || call.result === undefined ? <p class="empty">The record has no result.</p> : result === '' ? <p class="empty">Empty</p> : <LongText text={result} find={find} lines={14} isWhole={isWhole} />}
      </div>
    </div>
  );
}

function Arguments({ value, find, isWhole }: { value: unknown; find: readonly string[]; isWhole: boolean }) {
  const members = isRecord(value) ? Object.entries(value) : value === null || value === undefined || value === '' ? [] : [['', value] as const];
  if (members.length === 0) {
    return null;
  }
  return (
    <div class="part">
      <h4>Arguments</h4>
      <dl class="arguments">
        {members.map(([name, it]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <LongText text={typeof it === 'string' ? it : JSON.stringify(it, null, 2)} find={find} lines={12} isWhole={isWhole} />
            </dd>
          </>
        ))}
      </dl>
    </div>
  );
}

/** Return the marks at lines of the output. */
export function outputLines(marks: readonly Mark[]): ReadonlyMap<number, readonly Mark[]> {
  const found = new Map<number, Mark[]>();
  for (const mark of marks) {
    if (mark.target?.kind === 'output' && mark.target.line > 0) {
      found.set(mark.target.line, [...(found.get(mark.target.line) ?? []), mark]);
    }
  }
  return found;
}

