import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Change, Workspace } from '../src/trace.ts';
import { changesByStep, compareFiles, doubt, filesAfter } from '../src/workspace.ts';

function workspace(changes: readonly Change[], more: Partial<Workspace> = {}): Workspace {
  return { is_exact: true, initial: { 'a.md': 'one\n', 'b.md': 'b\n' }, changes, uncaptured: [], ...more };
}

test('files are as they were after each step', () => {
  const files = workspace([
    { step: 2, path: 'a.md', text: 'two\n', how: 'told' },
    { step: 2, path: 'c.md', text: '', how: 'told' },
    { step: 5, path: 'b.md', text: null, how: 'told' },
    { step: 5, path: 'a.md', text: 'three\n', how: 'found' },
  ]);
  assert.deepEqual([...filesAfter(files, 0)], [['a.md', 'one\n'], ['b.md', 'b\n']]);
  assert.equal(filesAfter(files, 4).get('a.md'), 'two\n');
  assert.equal(filesAfter(files, 4).get('c.md'), '');
  assert.deepEqual([...filesAfter(files, 9).keys()], ['a.md', 'c.md']);
  assert.deepEqual(changesByStep(files), new Map([[2, ['a.md', 'c.md']], [5, ['b.md', 'a.md']]]));
  assert.deepEqual(compareFiles(filesAfter(files, 0), filesAfter(files, 9)), [
    { path: 'a.md', state: 'changed' },
    { path: 'b.md', state: 'deleted' },
    { path: 'c.md', state: 'added' },
  ]);
});

test('changes count in the order of their steps, and names of members are only names', () => {
  const files = workspace(
    [
      { step: 5, path: '__proto__', text: 'late', how: 'found' },
      { step: 1, path: 'constructor', text: 'early', how: 'told' },
    ],
    { initial: JSON.parse('{"__proto__": "start"}') as Record<string, string> },
  );
  assert.deepEqual([...filesAfter(files, 1)], [['__proto__', 'start'], ['constructor', 'early']]);
  assert.equal(filesAfter(files, 5).get('__proto__'), 'late');
});

test('a part of a file is replaced in the text, or stands for the file if its text is unknown', () => {
  const part = (step: number, path: string, before: string, text: string): Change => ({ step, path, text, how: 'told', is_part: true, before });
  const files = workspace([
    part(1, 'a.md', 'one', '$& and $1'),
    part(2, 'far.md', 'old', 'new'),
    part(3, 'far.md', 'other', 'changed'),
    part(4, 'far.md', 'new', 'newer'),
    part(5, 'empty.md', '', 'inserted'),
  ]);
  assert.equal(filesAfter(files, 1).get('a.md'), '$& and $1\n');
  assert.equal(filesAfter(files, 0).get('far.md'), 'old\n⋯\nother');
  assert.equal(filesAfter(files, 2).get('far.md'), 'new\n⋯\nother');
  assert.equal(filesAfter(files, 4).get('far.md'), 'newer\n⋯\nchanged');
  assert.equal(filesAfter(files, 5).get('empty.md'), 'inserted');
});

test('the page says where the record is not exact', () => {
  const change: Change = { step: 4, path: 'a.md', text: 'x', how: 'found' };
  assert.equal(doubt(workspace([{ ...change, how: 'told' }]), 4), '');
  assert.match(doubt(workspace([change]), 4), /the last step that could have made it/);
  assert.match(doubt(workspace([change], { is_exact: false }), 2), /1 change is only known from the end/);
  assert.match(doubt(workspace([], { is_exact: false }), 2), /Not exact/);
});
