/** Puts the steps of two trials beside each other: the longest common sequence of normalised steps. Pure. */

import { diffArrays } from 'diff';

import { asText, isRecord, resultText } from './format.ts';
import type { Row } from './steps.ts';

/** `reworded`: only a message differs. `result`: the same call with another result. `changed`: the same tool, other arguments. */
export type PairState = 'same' | 'reworded' | 'result' | 'changed' | 'only-left' | 'only-right';

export interface Pair {
  readonly state: PairState;
  readonly left: Row | undefined;
  readonly right: Row | undefined;
}

export function align(left: readonly Row[], right: readonly Row[]): Pair[] {
  return matched(left, right, exactKey, (gapLeft, gapRight) =>
    matched(gapLeft, gapRight, looseKey, (onlyLeft, onlyRight) => [
      ...onlyLeft.map((it): Pair => ({ state: 'only-left', left: it, right: undefined })),
      ...onlyRight.map((it): Pair => ({ state: 'only-right', left: undefined, right: it })),
    ]),
  );
}

/** The first pair that matters: the first action that differs. If all actions are equal, the first message that differs. */
export function firstDifference(pairs: readonly Pair[]): number | undefined {
  const acts = pairs.findIndex((it) => it.state !== 'same' && it.state !== 'reworded' && isAction(it));
  const any = pairs.findIndex((it) => it.state !== 'same');
  return acts >= 0 ? acts : any >= 0 ? any : undefined;
}

function isAction(pair: Pair): boolean {
  return [pair.left, pair.right].some((it) => it?.step.call || it?.step.kind === 'error' || it?.step.kind === 'skill');
}

type Gap = (left: readonly Row[], right: readonly Row[]) => Pair[];

function matched(left: readonly Row[], right: readonly Row[], key: (row: Row) => string, gap: Gap): Pair[] {
  const parts = diffArrays(left.map(key), right.map(key), { timeout: 1000 });
  const pairs: Pair[] = [];
  let [a, b, fromA, fromB] = [0, 0, 0, 0];
  const close = () => {
    if (fromA < a || fromB < b) {
      pairs.push(...gap(left.slice(fromA, a), right.slice(fromB, b)));
    }
  };
  for (const part of parts ?? [{ added: false, removed: true, count: left.length }, { added: true, removed: false, count: right.length }]) {
    if (part.added) {
      b += part.count;
    } else if (part.removed) {
      a += part.count;
    } else {
      close();
      for (let index = 0; index < part.count; index++) {
        const [one, other] = [left[a++], right[b++]];
        pairs.push({ state: stateOf(one, other), left: one, right: other });
      }
      [fromA, fromB] = [a, b];
    }
  }
  close();
  return pairs;
}

function stateOf(left: Row | undefined, right: Row | undefined): PairState {
  const [one, other] = [left?.step, right?.step];
  if (one?.call && other?.call) {
    if (callKey(one.call) !== callKey(other.call)) {
      return 'changed';
    }
    const isSame = one.call.success === other.call.success && normalised(resultText(one.call.result)) === normalised(resultText(other.call.result));
    return isSame ? 'same' : 'result';
  }
  return normalised(one?.text ?? '') === normalised(other?.text ?? '') ? 'same' : 'reworded';
}

/** Steps with equal keys do the same: arguments in any order, without what differs from trial to trial. */
function exactKey(row: Row): string {
  const { step } = row;
  return step.call ? callKey(step.call) : `${step.kind}:${normalised(step.text)}`;
}

/** Steps with equal keys are of the same kind. */
function looseKey(row: Row): string {
  return row.step.call ? `tool:${row.step.call.name}` : `${row.step.kind}:${row.isOutput}`;
}

function callKey(call: { name: string; arguments: unknown }): string {
  return `tool:${call.name}:${normalised(stable(call.arguments))}`;
}

function stable(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(stable).join(',')}]`;
  }
  if (isRecord(value)) {
    const members = Object.keys(value).sort();
    return `{${members.map((it) => `${it}:${stable(value[it])}`).join(',')}}`;
  }
  return asText(value);
}

/** Only the start of a long text decides, so that aligning stays quick. */
const LONGEST = 20_000;

const VARYING: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, 'ID'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, 'TIME'],
  [/\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds)\b/g, 'TIME'],
  [/(?:\/private)?(?:\/tmp|\/var\/folders|\/var\/tmp)\/[^\s"'`:,;)\]}]{0,300}?(?=\/[\w.-]+(?:[\s"'`:,;)\]}]|$))/g, 'TEMP'],
  [/\s+/g, ' '],
];

function normalised(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)} +${text.length}` : text;
  return VARYING.reduce((sum, [pattern, word]) => sum.replace(pattern, word), cut).trim();
}
