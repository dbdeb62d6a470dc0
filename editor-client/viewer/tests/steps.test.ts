import assert from 'node:assert/strict';
import { test } from 'node:test';

import { filtered, NO_FILTER, toolsOf } from '../src/filter.ts';
import { asText, dedented, duration, resultText, visible } from '../src/format.ts';
import { countChanges, diffLines, folded } from '../src/lines.ts';
import { marksByStep, marksOf } from '../src/marks.ts';
import { gist, rowsOf } from '../src/steps.ts';
import { isTimedAtAll, rowAt, timelineOf } from '../src/timeline.ts';
import { call, graderOf, said, trialOf } from './helpers.ts';

const steps = [
  said(1, 'Please.', 'user'),
  call(2, 'bash', { command: 'ls -la', description: 'List' }, { content: [{ type: 'text', text: 'NOTES.md' }] }),
  call(3, 'view', { path: 'NOTES.md' }, 'gone', false),
  said(4, 'Done.\n'),
];

test('the prompt, the output and the error are there once', () => {
  assert.deepEqual(rowsOf(trialOf(steps, { prompt: 'Please.', output: 'Done.' })).map((it) => [it.n, it.isOutput]), [[1, false], [2, false], [3, false], [4, true]]);
  const bare = rowsOf(trialOf([], { prompt: 'Please.', output: 'Done.', error: 'Too slow' }));
  assert.deepEqual(bare.map((it) => [it.n, it.step.kind, it.step.text]), [[0, 'user', 'Please.'], [1, 'agent', 'Done.'], [2, 'error', 'Too slow']]);
  assert.deepEqual(rowsOf(trialOf([])), []);
});

test('the filter finds texts, tools and errors', () => {
  const rows = rowsOf(trialOf(steps));
  const found = (filter: Partial<typeof NO_FILTER>, marked: number[] = []) => filtered(rows, { ...NO_FILTER, ...filter }, new Set(marked)).map((it) => it.n);
  assert.deepEqual(found({}), [1, 2, 3, 4]);
  assert.deepEqual(found({ text: ' notes ' }), [2, 3]);
  assert.deepEqual(found({ onlyTools: true }), [2, 3]);
  assert.deepEqual(found({ tools: ['view'] }), [3]);
  assert.deepEqual(found({ onlyErrors: true }), [3]);
  assert.deepEqual(found({ onlyErrors: true }, [4]), [3, 4]);
  assert.deepEqual(found({ text: 'please', onlyErrors: true }), []);
  assert.deepEqual(toolsOf(rows), [['bash', 1], ['view', 1]]);
});

test('failed checks mark the step that they point to', () => {
  const trial = trialOf(steps, {
    output: 'Done.\n',
    workspace: { is_exact: true, initial: {}, changes: [{ step: 2, path: 'a.md', text: 'x', how: 'told' }], uncaptured: [] },
    graders: [
      graderOf('fine', 'passed', [{ message: 'no', target: { kind: 'step', step: 1 } }]),
      graderOf('bad', 'failed', [
        { message: 'step', target: { kind: 'step', step: 3 } },
        { message: 'output', target: { kind: 'output', line: 1 } },
        { message: 'file', target: { kind: 'file', path: 'a.md', line: 1 } },
        { message: 'nowhere' },
      ]),
      graderOf('whole', 'error'),
    ],
  });
  const marks = marksOf(trial);
  assert.deepEqual(marks.map((it) => [it.name, it.message]), [['bad', 'step'], ['bad', 'output'], ['bad', 'file'], ['bad', 'nowhere'], ['whole', 'bad']]);
  assert.deepEqual([...marksByStep(trial, marks)].map(([n, them]) => [n, them.map((it) => it.message)]), [[3, ['step']], [4, ['output']], [2, ['file']]]);
});

test('calls and results are said in words', () => {
  assert.equal(gist(call(1, 'x', { n: 1, description: 'List', command: '  ls\nrm' })), 'ls');
  assert.equal(gist(call(1, 'x', 'raw')), 'raw');
  assert.equal(gist(call(1, 'x', null)), '');
  assert.equal(resultText({ content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }] }), 'a\nb');
  assert.equal(resultText({ content: 'text' }), 'text');
  assert.equal(JSON.parse(resultText({ exit: 1, content: 'x' })).exit, 1);
  assert.equal(asText(0), '0');
  assert.deepEqual([950, 1500, 65_000, 125_000, 7_260_000, null].map(duration), ['950 ms', '1.5 s', '65 s', '2 min 5 s', '2 h 1 min', '']);
});

test('an entry stands at the left', () => {
  assert.equal(dedented('    - a: 1\n\n      b: 2\n'), '- a: 1\n\n  b: 2\n');
  assert.equal(dedented(''), '');
});

test('characters that hide or reorder text become visible', () => {
  assert.equal(visible('a\u202eb\u0000\u200e\ud800 😀 ü\n\t'), 'a\\u202eb\\u0000\\u200e\\ud800 😀 ü\n\t');
});

test('a diff has every line once, and folds what is unchanged', () => {
  const before = Array.from({ length: 40 }, (_, it) => `line ${it}`).join('\n');
  const lines = diffLines(before, before.replace('line 20', 'line twenty'));
  assert.deepEqual(countChanges(lines), { added: 1, deleted: 1 });
  assert.deepEqual(lines.filter((it) => it.mark !== 'added').map((it) => it.text).join('\n'), before);
  assert.deepEqual(folded(lines).map((it) => it.mark), ['fold', 'same', 'same', 'same', 'deleted', 'added', 'same', 'same', 'same', 'fold']);
  assert.equal(folded(lines, 3, [10]).filter((it) => it.mark === 'fold').length, 3);
  assert.deepEqual(countChanges(diffLines('', 'a\nb')), { added: 2, deleted: 0 });
});

test('texts that differ everywhere are still shown', () => {
  const text = (letter: string) => Array.from({ length: 6000 }, (_, it) => `${letter}${it}`).join('\n');
  assert.deepEqual(countChanges(diffLines(text('a'), text('b'))), { added: 6000, deleted: 6000 });
});

test('the timeline covers all steps, by time or by number', () => {
  const rows = rowsOf(trialOf(steps));
  const byTime = timelineOf(rows, true);
  assert.equal(byTime.spans[0]?.[0], 0);
  assert.ok(byTime.spans.every(([from, to]) => from >= 0 && to <= 1 && from <= to));
  const byNumber = timelineOf(rows, false);
  assert.deepEqual([0, 0.3, 0.99].map((it) => rowAt(byNumber, it)), [0, 1, 3]);
  assert.deepEqual(byNumber.turns.map((it) => it.turn), [1, 2, 3, 4]);
  assert.ok(!isTimedAtAll(rows.map((it) => ({ ...it, step: { ...it.step, at_ms: 200 } })), null));
  assert.ok(isTimedAtAll(rows, 1000));
  assert.ok(!isTimedAtAll(rows, 10_000));
  assert.deepEqual(timelineOf([], true).segments, []);
  const after = timelineOf(rowsOf(trialOf([said(1, 'a'), { ...call(2, 'x', {}), at_ms: 200, duration_ms: 400 }, { ...said(3, 'b'), at_ms: 200 }, { ...said(4, 'c'), at_ms: 1100 }])), true);
  assert.deepEqual(after.spans.map(([from]) => from), [0, 0.1, 0.5, 1]);
  const many = rowsOf(trialOf(Array.from({ length: 20_000 }, (_, it) => call(it + 1, 'x', {}, '', it % 10 > 0))));
  const large = timelineOf(many, true);
  assert.ok(large.segments.length <= 501);
  assert.ok(large.segments.slice(1, -1).every((it) => it.failed > 0 && it.failed < 0.5));
});
