/**
 * Which documents are offered to the server.
 *
 * By pattern and without a language id: other extensions give eval and task files ids of
 * their own (`tasks/*.yaml` becomes `ansible`), and a selector that names `yaml` would miss
 * those. Most `tasks/*.yaml` are no eval files: the server decides by content and is silent
 * about the rest.
 */

import { languages, type TextDocument } from 'vscode';

const patterns = [
  '**/eval.yaml',
  '**/eval.yml',
  '**/*.eval.yaml',
  '**/tasks/**/*.yaml',
  '**/trigger_tests.yaml',
  '**/.waza.yaml',
  '**/*.vally.yaml',
  '**/.vally.yaml',
];

export const documentSelector = patterns.map((pattern) => ({ scheme: 'file', pattern }));

/** Files whose name alone says that a workspace has evals; a `tasks` folder does not. */
export const evalFiles = '**/{eval.yaml,eval.yml,*.eval.yaml,.waza.yaml,*.vally.yaml,.vally.yaml}';

export function isSelected(document: TextDocument): boolean {
  return languages.match(documentSelector, document) > 0;
}
