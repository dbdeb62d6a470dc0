import assert from 'node:assert/strict';
import { test } from 'node:test';

import { draftsFrom, scalar } from '../src/drafts.ts';
import type { CheckTemplate } from '../src/trace.ts';
import { call, said } from './helpers.ts';

const templates: CheckTemplate[] = [
  { kind: 'output', about: 'output', yaml: '- name: $NAME\n  contains: [$TEXT]\n' },
  { kind: 'tool', about: 'tool', yaml: '- name: $NAME\n  tool: $TOOL_PATTERN\n' },
  { kind: 'file', about: 'file', yaml: '- path: $PATH\n' },
  { kind: 'line', about: 'line', yaml: '- path: $PATH\n  text: $PATTERN\n' },
];

test('a check is drafted from what is selected', () => {
  const kinds = (origin: Parameters<typeof draftsFrom>[1]) => draftsFrom(templates, origin).map((it) => it.kind);
  assert.deepEqual(kinds({ task: 't', step: said(1, 'x'), selected: ' done ' }), ['output']);
  assert.deepEqual(kinds({ task: 't', step: said(1, 'x') }), []);
  assert.deepEqual(kinds({ task: 't', step: call(1, 'bash', { command: 'ls' }) }), ['tool']);
  assert.deepEqual(kinds({ task: 't', step: call(1, 'create', { path: 'a.md' }) }), ['tool', 'file']);
  assert.deepEqual(kinds({ task: 't', step: call(1, 'create', { path: '/somewhere/a.md' }) }), ['tool']);
  assert.deepEqual(kinds({ task: 't', step: call(1, 'create', { path: 'C:\\me\\a.md' }) }), ['tool']);
  assert.deepEqual(kinds({ task: 't', path: 'a.md', selected: 'x' }), ['file', 'line']);
});

test('names and texts in patterns match only themselves', () => {
  const yaml = (origin: Parameters<typeof draftsFrom>[1]) => draftsFrom(templates, origin).map((it) => it.yaml);
  assert.deepEqual(yaml({ task: 't', step: call(1, 'mcp.x', {}) }), ['- name: mcp-x\n  tool: "^mcp\\\\.x$"\n']);
  assert.deepEqual(yaml({ task: 't', path: 'a', selected: 'f(x)' })[1], '- path: a\n  text: "f\\\\(x\\\\)"\n');
});

test('what is selected is one scalar, whatever it contains', () => {
  const [draft] = draftsFrom(templates, { task: 't', selected: 'It is $PATH: "ok"\n- x' });
  assert.equal(draft?.yaml, '- name: it-is-path-ok-x\n  contains: ["It is $PATH: \\"ok\\"\\n- x"]\n');
});

test('scalars are quoted where YAML would read another value', () => {
  assert.deepEqual(['bash', 'src/a-b.md', 'mcp__x'].map(scalar), ['bash', 'src/a-b.md', 'mcp__x']);
  for (const text of ['yes', 'No', 'null', 'true', '1', '1.0', '', 'a: b', '- a', '#x', '*a', 'ü', 'a b', '{', '~', "it's", '0x1', '.inf', '2026-01-01', '@a', '😀']) {
    assert.equal(scalar(text), JSON.stringify(text));
  }
  assert.equal(scalar('a\u0085\u2028\u007f'), '"a\\u0085\\u2028\\u007f"');
});
