import assert from 'node:assert/strict';
import { test } from 'node:test';

import { align, firstDifference } from '../src/align.ts';
import { rowsOf } from '../src/steps.ts';
import type { Step } from '../src/trace.ts';
import { call, said, trialOf } from './helpers.ts';

function states(left: readonly Step[], right: readonly Step[]): string[] {
  return align(rowsOf(trialOf(left)), rowsOf(trialOf(right))).map((it) => it.state);
}

test('a step that only one trial has does not shift the others', () => {
  const [look, write] = [call(1, 'view', { path: 'a' }), call(2, 'create', { path: 'b', text: 'x' })];
  const extra = call(2, 'bash', { command: 'ls' });
  assert.deepEqual(states([look, write], [look, extra, { ...write, n: 3 }]), ['same', 'only-right', 'same']);
  assert.deepEqual(states([look, extra, { ...write, n: 3 }], [look, write]), ['same', 'only-left', 'same']);
});

test('steps of the same kind stand beside each other, and say what differs', () => {
  const pairs = align(
    rowsOf(trialOf([said(1, 'Do it.', 'user'), said(2, 'I will look.'), call(3, 'view', { path: 'a' }, 'text'), call(4, 'create', { path: 'b' })])),
    rowsOf(trialOf([said(1, 'Do it.', 'user'), said(2, 'Let me see.'), call(3, 'view', { path: 'a' }, 'no', false), call(4, 'create', { path: 'c' })])),
  );
  assert.deepEqual(pairs.map((it) => it.state), ['same', 'reworded', 'result', 'changed']);
  assert.equal(firstDifference(pairs), 2);
  assert.equal(firstDifference(pairs.slice(0, 2)), 1);
  assert.equal(firstDifference(pairs.slice(0, 1)), undefined);
});

test('what differs from trial to trial by itself is no difference', () => {
  const one = call(1, 'bash', { command: 'pytest /tmp/waza-1a2b/suite/test_a.py', timeout: 5 }, '3 passed in 0.52s at 2026-11-23T14:28:20Z');
  const two = call(1, 'bash', { timeout: 5, command: 'pytest  /tmp/waza-9z/x/suite/test_a.py' }, '3 passed in 11.4s at 2026-11-24T09:00:00Z');
  assert.deepEqual(states([one], [two]), ['same']);
  assert.deepEqual(states([one], [call(1, 'bash', { command: 'pytest /tmp/waza-1a2b/suite/test_b.py', timeout: 5 })]), ['changed']);
});

test('every step of both trials stands in one pair, in order', () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 200; round++) {
    const steps = () => Array.from({ length: random(12) }, (_, index) => (random(2) ? call(index + 1, `t${random(3)}`, { a: random(3) }) : said(index + 1, `m${random(3)}`)));
    const [left, right] = [rowsOf(trialOf(steps())), rowsOf(trialOf(steps()))];
    const pairs = align(left, right);
    assert.deepEqual(pairs.flatMap((it) => it.left ?? []), left);
    assert.deepEqual(pairs.flatMap((it) => it.right ?? []), right);
  }
});
