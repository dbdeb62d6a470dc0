/**
 * Which documents the server gets, and which of them start it.
 *
 * The selector uses patterns, not a language id, because other extensions assign their own ids
 * to eval and task files (`tasks/*.yaml` becomes `ansible`). Most YAML files are not eval
 * files: the server decides by content and ignores the rest.
 */

import { languages, type TextDocument } from 'vscode';

/** YAML files, which may be evals. */
export const yamlSelector = [{ scheme: 'file', pattern: '**/*.{yaml,yml}' }];

/** What the server gets: also skills, which show the evals that test them. */
export const documentSelector = [...yamlSelector, { scheme: 'file', pattern: '**/SKILL.md' }];

const evalNames = ['eval.yaml', 'eval.yml', '*.eval.yaml', '*.eval.yml', '*.vally.yaml', '*.vally.yml'];
const otherNames = ['trigger_tests.yaml', 'trigger_tests.yml', '.waza.yaml', '.waza.yml', '.vally.yaml', '*.experiment.yaml'];

/** Names of files that can be run as a whole. */
export const evalFiles = `**/{${evalNames.join(',')}}`;

/** File names that prove that a workspace has evals. A `tasks` folder does not. */
export const tellingFiles = `**/{${[...evalNames, ...otherNames].join(',')}}`;

/** Top-level keys that only evals and tasks have, for files with other names. */
const telling = /^(inputs|graders|stimuli|should_trigger_prompts)[ \t]*:/m;

export function isSelected(document: TextDocument): boolean {
  return languages.match(yamlSelector, document) > 0;
}

/** Guess without a server whether this document is worth starting one. */
export function looksLikeEval(document: TextDocument): boolean {
  const isNamedLikeOne = languages.match({ scheme: 'file', pattern: tellingFiles }, document) > 0;
  return isNamedLikeOne || (isSelected(document) && telling.test(document.getText()));
}
