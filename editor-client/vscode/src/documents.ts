/**
 * Which documents are offered to the server, and which of them give reason to start it.
 *
 * By pattern and without a language id: other extensions give eval and task files ids of
 * their own (`tasks/*.yaml` becomes `ansible`), and a selector that names `yaml` would miss
 * those. Most YAML files are no eval files: the server decides by content and is silent
 * about the rest.
 */

import { languages, type TextDocument } from 'vscode';

export const documentSelector = [{ scheme: 'file', pattern: '**/*.{yaml,yml}' }];

const evalNames = ['eval.yaml', 'eval.yml', '*.eval.yaml', '*.eval.yml', '*.vally.yaml', '*.vally.yml'];
const otherNames = ['trigger_tests.yaml', '.waza.yaml', '.vally.yaml', '*.experiment.yaml'];

/** Files that can be run as a whole, by their names. */
export const evalFiles = `**/{${evalNames.join(',')}}`;

/** Files whose name alone says that a workspace has evals; a `tasks` folder does not. */
export const tellingFiles = `**/{${[...evalNames, ...otherNames].join(',')}}`;

/** Top-level keys that only eval files have; those of tasks and evals with names of their own. */
const telling = /^(inputs|graders|stimuli|should_trigger_prompts)[ \t]*:/m;

export function isSelected(document: TextDocument): boolean {
  return languages.match(documentSelector, document) > 0;
}

/** A guess that needs no server: is it worth starting one for this document? */
export function looksLikeEval(document: TextDocument): boolean {
  const isNamedLikeOne = languages.match({ scheme: 'file', pattern: tellingFiles }, document) > 0;
  return isNamedLikeOne || (isSelected(document) && telling.test(document.getText()));
}
