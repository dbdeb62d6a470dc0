/** "Make a check from this": fills the templates of the eval's dialect. Pure. */

import { isRecord } from './format.ts';
import type { CheckTemplate, Draft, Step } from './trace.ts';

export interface Origin {
  readonly task: string;
  readonly step?: Step;
  readonly selected?: string;
  readonly path?: string;
  readonly isOutput?: boolean;
}

const LONGEST = 300;

/** Return the checks that can be made from a step, a selected text or a file. */
export function draftsFrom(templates: readonly CheckTemplate[], origin: Origin): Draft[] {
  const text = (origin.selected ?? '').trim().slice(0, LONGEST);
  const tool = origin.step?.call?.name;
  const path = origin.path ?? pathOf(origin.step);
  const words: Record<string, string | undefined> = {
    $TEXT: text === '' ? undefined : text,
    $PATTERN: text === '' ? undefined : pattern(text),
    $TOOL_PATTERN: tool === undefined ? undefined : `^${pattern(tool)}$`,
    $PATH: path,
    $NAME: nameFor(text || tool || path || 'check'),
  };
  const fits: Record<CheckTemplate['kind'], boolean> = {
    output: text !== '' && origin.path === undefined && tool === undefined,
    tool: tool !== undefined,
    file: path !== undefined,
    line: text !== '' && path !== undefined,
  };
  return templates
    .filter((it) => fits[it.kind] && [...it.yaml.matchAll(PLACEHOLDER)].every(([word]) => words[word] !== undefined))
    .map((it) => ({ kind: it.kind, task: origin.task, about: it.about, yaml: it.yaml.replace(PLACEHOLDER, (word) => scalar(words[word] ?? '')) }));
}

const PLACEHOLDER = /\$(?:NAME|TEXT|PATTERN|TOOL_PATTERN|PATH)\b/g;

/** A pattern that matches this text only, in RE2 as in JavaScript. */
function pattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:[/\\])/;

function pathOf(step: Step | undefined): string | undefined {
  const values = step?.call?.arguments;
  const found = isRecord(values) ? (values['path'] ?? values['file_path'] ?? values['filePath']) : undefined;
  return typeof found === 'string' && found !== '' && !ABSOLUTE.test(found) ? found : undefined;
}

function nameFor(text: string): string {
  const words = text.normalize('NFKD').toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 5).join('-').slice(0, 40) || 'check';
}

const PLAIN = /^[A-Za-z][\w./-]*$/;
const MEANS_MORE = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

/** A YAML scalar: plain words stay plain, everything else is written as JSON, which YAML reads. */
export function scalar(text: string): string {
  if (PLAIN.test(text) && !MEANS_MORE.test(text)) {
    return text;
  }
  const escape = (it: string) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escape);
}
