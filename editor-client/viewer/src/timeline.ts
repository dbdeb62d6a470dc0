/** Positions of the timeline's parts, between 0 and 1. Pure. */

import { isError, type Row } from './steps.ts';
import type { Kind } from './trace.ts';

export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly kind: Kind;
  /** How many of the steps that it stands for have failed, between 0 and 1. */
  readonly failed: number;
}

export interface Turn {
  readonly turn: number;
  readonly from: number;
  readonly to: number;
}

export interface Timeline {
  /** By row: where it begins and ends. */
  readonly spans: readonly (readonly [number, number])[];
  readonly segments: readonly Segment[];
  readonly turns: readonly Turn[];
  /** Tokens used up to each row, between 0 and 1; empty if no row says them. */
  readonly tokens: readonly number[];
}

/** Steps within a smaller share of the trial's time were replayed. */
const LEAST_SPAN = 0.2;
/** More segments than this cannot be told apart on a screen. */
const MOST_SEGMENTS = 500;

export function timelineOf(rows: readonly Row[], byTime: boolean): Timeline {
  const spans = byTime ? timedSpans(rows) : rows.map((_, index) => [index / rows.length, (index + 1) / rows.length] as const);
  return { spans, segments: segmentsOf(rows, spans), turns: turnsOf(rows, spans), tokens: tokensOf(rows) };
}

/** Whether the times of the steps say anything. Of a replayed trial, all happen at once, whatever it took when it was recorded. */
export function isTimedAtAll(rows: readonly Row[], total: number | null): boolean {
  const moments = new Set(rows.map((it) => it.step.at_ms).filter((it) => it !== null));
  const times = [...moments];
  const span = times.reduce((most, it) => Math.max(most, it), 0) - times.reduce((least, it) => Math.min(least, it), Infinity);
  return moments.size > 1 && moments.size >= rows.length / 4 && span >= (total ?? 0) * LEAST_SPAN;
}

function timedSpans(rows: readonly Row[]): (readonly [number, number])[] {
  let [latest, latestEnd] = [0, 0];
  const starts = rows.map(({ step }) => {
    // Calls may run at once. What has no duration comes after the call before it.
    latest = Math.max(latest, step.at_ms ?? latest, step.duration_ms === null ? latestEnd : 0);
    latestEnd = Math.max(latestEnd, latest + (step.duration_ms ?? 0));
    return latest;
  });
  const ends = rows.map(({ step }, index) => (starts[index] ?? 0) + (step.duration_ms ?? 0));
  const begin = starts[0] ?? 0;
  const total = Math.max(1, ends.reduce((most, it) => Math.max(most, it), 0) - begin);
  return rows.map((_, index) => {
    const [start = 0, end = 0, next = begin + total] = [starts[index], ends[index], starts[index + 1]];
    const from = (start - begin) / total;
    return [from, Math.max(from, Math.min(1, ((end > start ? end : next) - begin) / total))];
  });
}

/** Neighbours that are too narrow are drawn as one segment, which shows the most telling of them. */
function segmentsOf(rows: readonly Row[], spans: Timeline['spans']): Segment[] {
  const found: Segment[] = [];
  let last: { from: number; to: number; kind: Kind; failed: number; count: number } | undefined;
  rows.forEach(({ step }, index) => {
    const [from = 0, to = 0] = spans[index] ?? [];
    const bad = Number(isError(step));
    if (last !== undefined && to - last.from < 1 / MOST_SEGMENTS) {
      last.to = Math.max(last.to, to);
      last.failed = (last.failed * last.count + bad) / ++last.count;
      last.kind = step.call ? step.kind : last.kind;
    } else {
      last = { from, to, kind: step.kind, failed: bad, count: 1 };
      found.push(last);
    }
  });
  return found;
}

function turnsOf(rows: readonly Row[], spans: Timeline['spans']): Turn[] {
  const found: { turn: number; from: number; to: number }[] = [];
  rows.forEach(({ step }, index) => {
    const [from = 0, to = 0] = spans[index] ?? [];
    const last = found.at(-1);
    if (step.turn > 0 && step.turn !== last?.turn) {
      found.push({ turn: step.turn, from, to });
    } else if (last !== undefined) {
      last.to = Math.max(last.to, to);
    }
  });
  return found;
}

function tokensOf(rows: readonly Row[]): number[] {
  let sum = 0;
  const sums = rows.map(({ step }) => (sum += (step.tokens_in ?? 0) + (step.tokens_out ?? 0)));
  return sum > 0 ? sums.map((it) => it / sum) : [];
}

/** The row at a position. */
export function rowAt(timeline: Timeline, position: number): number {
  const found = timeline.spans.findLastIndex(([from]) => from <= position);
  return Math.max(0, found);
}
