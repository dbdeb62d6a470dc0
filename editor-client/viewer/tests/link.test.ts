import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fromFragment, toFragment, type Place } from '../src/link.ts';
import { headOf } from './helpers.ts';

const trials = [headOf('a', 1), headOf('a', 2), headOf('b & ü#=+ %', 1), headOf('a', 1), headOf('', 0)];

test('a link leads back to its place', () => {
  const places: Place[] = [
    { trial: 0 },
    { trial: 1, step: 12 },
    { trial: 2, step: 0, beside: 1 },
    { trial: 3, beside: 0, step: 3 },
    { trial: 0, beside: 3 },
    { trial: 4, check: [0, 2], file: 'src/ä b&.py', line: 7, step: 1 },
  ];
  for (const place of places) {
    assert.deepEqual(fromFragment(trials, toFragment(trials, place)), place);
  }
});

test('the fragment of the page is the one that is documented', () => {
  assert.equal(toFragment(trials, { trial: 1, step: 7 }), '#task=a&trial=2&step=7');
  assert.deepEqual(fromFragment(trials, 'task=a&trial=2&step=7'), { trial: 1, step: 7 });
  assert.deepEqual(fromFragment(trials, '#task=a'), { trial: 0 });
});

test('what a fragment names and the page lacks is left out', () => {
  for (const fragment of ['', '#', '#task=x&trial=1', '#task=a&trial=9', '#task=a&trial=1&nth=7', '#%']) {
    assert.equal(fromFragment(trials, fragment), undefined);
  }
  const odd = '#task=a&trial=1&step=-3&with=9&check=1&line=1e9&step=5';
  assert.deepEqual(fromFragment(trials, odd), { trial: 0 });
  assert.equal(toFragment(trials, { trial: 99 }), '');
});
