/** The page's own decisions, without a browser. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Text } from '@codemirror/state';

import { newTextOf, snippetOf, startOf } from '../src/logic/completionItems.ts';
import { findCheck } from '../src/logic/failedCheck.ts';
import { inlineText, isFailedCheck, isProblem, severityOf } from '../src/logic/findings.ts';
import { findTask, insertion, type Item } from '../src/logic/insertCheck.ts';
import { lensKind } from '../src/logic/lenses.ts';
import { matrixOf } from '../src/logic/matrix.ts';
import { languageOf, sameUri, toPath, toUri } from '../src/logic/paths.ts';
import { shared } from '../src/logic/shared.ts';
import { changesOf, offsetOf, positionOf } from '../src/logic/textEdits.ts';
import { foldersOfEvals, refusal, shownNodes, treeOf } from '../src/logic/tree.ts';
import { dots, pathThrough } from '../src/logic/trend.ts';
import { ago, direction, percent, score, signed } from '../src/logic/words.ts';
import { filesOf } from '../src/logic/workspaceEdits.ts';

const ROOT = 'file:///somewhere/my%20evals';

test('a path becomes the URI that the server writes, and comes back', () => {
  for (const path of ['eval.yaml', 'a b/c#d.yaml', 'häuser/%41.md', "it's (new)!*.yaml"]) {
    const uri = toUri(ROOT, path);
    assert.match(uri, /^file:\/\/\/somewhere\/my%20evals\/[\w.~%/-]+$/);
    assert.equal(toPath(ROOT, uri), path);
    assert.equal(toPath('file:///somewhere/my evals', uri), path);
    assert.ok(sameUri(uri, uri.toLowerCase().includes('%c3') ? uri.replace('%C3', '%c3') : uri));
  }
});

test('a file elsewhere has no path', () => {
  for (const uri of ['file:///somewhere/my%20evals2/a', 'file:///etc/passwd', `${ROOT}/../x`, `${ROOT}/%2e%2e/x`, 'file:///%', '']) {
    assert.equal(toPath(ROOT, uri), null);
  }
});

test('the server is told the language of a file', () => {
  assert.deepEqual(['a/EVAL.YML', 'SKILL.md', 'x.py', 'r.json', 'Makefile', 'yaml'].map(languageOf), [
    'yaml', 'markdown', 'python', 'json', 'plaintext', 'yaml',
  ]);
});

const ENTRIES = [
  { path: 'b.yaml', kind: 'file', is_eval: true },
  { path: 'z', kind: 'folder', is_eval: false },
  { path: 'a/tasks/One.yaml', kind: 'file', is_eval: false },
  { path: 'a/eval.yaml', kind: 'file', is_eval: true },
] as const;

test('the tree has folders first, shows what is open, and a filter opens the way to its matches', () => {
  const tree = treeOf(ENTRIES);
  const names = (open: string[], filter = '') => shownNodes(tree, new Set(open), filter).map((it) => `${it.depth}${it.node.name}`);
  assert.deepEqual(names([]), ['0a', '0z', '0b.yaml']);
  assert.deepEqual(names([...foldersOfEvals(ENTRIES)]), ['0a', '1tasks', '1eval.yaml', '0z', '0b.yaml']);
  assert.deepEqual(names([], 'one'), ['0a', '1tasks', '2One.yaml']);
  assert.deepEqual(names([], 'EVAL a'), ['0a', '1eval.yaml']);
  assert.deepEqual(names([], 'nothing'), []);
});

test('a new file is inside the folder and does not exist', () => {
  for (const path of ['', ' ', '../x', 'a//b', '/etc/x', 'a/./b', 'a\\b', 'b.yaml', 'a/']) {
    assert.notEqual(refusal(path, ENTRIES), '', path);
  }
  assert.equal(refusal('a/tasks/new.yaml', ENTRIES), '');
});

test('positions count UTF-16 units, and those outside of the text move to the nearest place', () => {
  const text = Text.of(['a😀b', '', 'end']);
  assert.equal(offsetOf(text, { line: 0, character: 3 }), 3);
  assert.deepEqual(positionOf(text, 5), { line: 1, character: 0 });
  assert.equal(offsetOf(text, { line: 0, character: 99 }), 4);
  assert.equal(offsetOf(text, { line: 9, character: 0 }), text.length);
  const change = changesOf(text, [{ range: { start: { line: 2, character: 0 }, end: { line: 2, character: 3 } }, newText: 'x\r\ny\rz' }]);
  assert.deepEqual(change, [{ from: 6, to: 9, insert: 'x\ny\nz' }]);
});

test('both forms of workspace edits are read, and unknown operations are refused', () => {
  const edit = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, newText: 'x' };
  assert.deepEqual(filesOf({ changes: { u: [edit] } }), [{ uri: 'u', version: null, isNew: false, edits: [edit] }]);
  const both = filesOf({ documentChanges: [{ kind: 'create', uri: 'n' }, { textDocument: { uri: 'n', version: null }, edits: [edit] }] });
  assert.deepEqual(both, [{ uri: 'n', version: null, isNew: true, edits: [edit] }]);
  assert.throws(() => filesOf({ documentChanges: [{ kind: 'delete', uri: 'u' }] }), /delete/);
});

test('a completion item says what it inserts and where', () => {
  const at = (character: number) => ({ start: { line: 1, character }, end: { line: 1, character: 9 } });
  const items = [{ label: 'a' }, { label: 'b', textEdit: { range: at(4), newText: 'b: ' } }, { label: 'c', textEdit: { range: at(2), newText: 'c' } }];
  assert.deepEqual(items.map(newTextOf), ['a', 'b: ', 'c']);
  assert.deepEqual(startOf(items), { line: 1, character: 2 });
  assert.equal(startOf([{ label: 'a' }]), null);
  assert.equal(snippetOf('max: ${1:10}$0 \\$5 \\} $2'), 'max: ${1:10}${0} $5 } ${2}');
});

test('findings have the levels and the short texts of the editor', () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  assert.deepEqual([1, 2, 3, 4].map((severity) => severityOf({ range, message: '', severity: severity as 1 })), ['error', 'warning', 'info', 'hint']);
  assert.equal(severityOf({ range, message: '' }), 'error');
  assert.deepEqual(['failed-check', 'live-verdict', 'unknown-key'].map(isFailedCheck), [true, false, false]);
  assert.deepEqual(['failed-check', 'live-verdict', 'unknown-key'].map(isProblem), [true, false, true]);
  assert.equal(inlineText('one\ntwo'), 'one');
  assert.equal(inlineText('x'.repeat(500)).length, 100);
});

test('lenses look like what they are', () => {
  const lens = (command: string, title: string) => lensKind({ command, title });
  assert.equal(lens('waza.runTask', '▶ Run task'), 'start');
  assert.equal(lens('waza.showReport', '✓ 1.00'), 'passed');
  assert.equal(lens('waza.showReport', '✗ 0.50'), 'failed');
  assert.equal(lens('waza.showAudit', '⚠ passes for: silence'), 'doubtful');
  assert.equal(lens('waza.cancelRun', '■ Running: cancel'), 'stop');
});

test('a trend leaves gaps for runs without a score', () => {
  assert.equal(pathThrough(dots([0, 1, null, 0.5], 100, 50, 10)), 'M10.0 40.0L36.7 10.0M90.0 25.0');
  assert.deepEqual(dots([2], 100, 50, 10), [{ x: 50, y: 10 }]);
});

test('numbers and times in words', () => {
  assert.deepEqual([score(0.5), score(null), percent(0.667), signed(-0.25), signed(0.25), signed(0)], ['0.50', '–', '67 %', '−0.25', '+0.25', '±0.00']);
  assert.deepEqual([5, 300, 7200, 200_000, 10_000_000].map((it) => ago(1e9 - it, 1e9)), ['just now', '5 min ago', '2 h ago', '2 d ago', '2001-05-16']);
  assert.deepEqual(['better', 'worse', 'no difference shown'].map(direction), ['better', 'worse', 'open']);
});

const check = (message: string, file: string, line: number) => ({ message, source: { file, line } });
const grader = (...checks: ReturnType<typeof check>[]) => ({ name: 'g', type: 't', status: 'failed' as const, score: 0, weight: 1, feedback: '', checks });
const trial = (...graders: ReturnType<typeof grader>[]) => ({ graders }) as never;

test('a failed check of the editor is found in a trace, by its place before its text', () => {
  const wanted = { path: 'evals/eval.yaml', line: 12, message: 'No file contains x; starts with y' };
  const found = trial(grader(check('other', '/w/evals/eval.yaml', 3)), grader(check('No file contains x', '/w/evals/eval.yaml', 9), check('moved', '/w/evals/eval.yaml', 12)));
  assert.deepEqual(findCheck(found, wanted), [1, 1]);
  assert.deepEqual(findCheck(trial(grader(check('No file contains x', 'eval.yaml', 0))), wanted), [0, 0]);
  assert.deepEqual(findCheck(trial(grader(check('x', 'eval.yaml', 12))), wanted), [0, 0]);
  assert.equal(findCheck(trial(grader(check('x', 'other/vals/eval.yaml', 12), check('', 'a', 1))), wanted), null);
});

const item = (kind: string, id: string, start: number, end: number, character: number, children: Item[] = []): Item => ({
  id, kind, uri: 'u', children, range: { start: { line: start, character }, end: { line: end, character: 99 } },
});

test('a new check stands behind the last grader of its task, with its indentation', () => {
  const lines = ['stimuli:', '  - name: a', '    graders:', '      - type: x', '        name: g', '    end: 1', '  - name: b'];
  const tasks = [item('eval', '', 0, 6, 0, [item('task', 'a', 1, 5, 4, [item('grader', 'g', 3, 4, 8)]), item('task', 'b', 6, 6, 4)])];
  const first = insertion(lines, findTask(tasks, 'a') as Item, '- type: y\n  v: 1\n');
  assert.deepEqual(first, { at: { line: 4, character: 15 }, text: '\n      - type: y\n        v: 1' });
  const second = insertion(lines, findTask(tasks, 'b') as Item, '- type: y');
  assert.deepEqual(second, { at: { line: 6, character: 11 }, text: '\n    graders:\n      - type: y' });
  assert.equal(findTask(tasks, 'c'), null);
});

test('the audit is a table of broken work and graders; what all graders miss comes first', () => {
  const one = { name: 'g', type: 't', path: 'e', line: 1, notices: ['silence', 'echo'], only_one_to_notice: ['echo'] };
  const task = { survivors: [{ key: 'k', mutation: 'm', change: 'without a file', before: '', after: '' }], graders: [one, { ...one, notices: ['silence'], only_one_to_notice: [] }] };
  assert.deepEqual(matrixOf(task as never).rows.map((it) => [it.label, it.survives, it.cells.join(' ')]), [
    ['without a file', true, 'blind blind'],
    ['silence', false, 'notices notices'],
    ['echo', false, 'only blind'],
  ]);
});

test('two commands share one question, also if it fails, and a later one asks again', async () => {
  const asked: ((answer: string | Error) => void)[] = [];
  const ask = shared(
    () => new Promise<string>((resolve, reject) => asked.push((it) => (typeof it === 'string' ? resolve(it) : reject(it)))),
  );
  const first = [ask(), ask()];
  assert.equal(asked.length, 1);
  asked[0]?.('yes');
  assert.deepEqual(await Promise.all(first), ['yes', 'yes']);
  const second = [ask(), ask()];
  assert.equal(asked.length, 2);
  asked[1]?.(new Error('closed'));
  assert.deepEqual((await Promise.allSettled(second)).map((it) => it.status), ['rejected', 'rejected']);
  void ask();
  assert.equal(asked.length, 3);
});
