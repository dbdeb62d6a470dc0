/** The editor of one file. */

import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { markdown } from '@codemirror/lang-markdown';
import { python } from '@codemirror/lang-python';
import { yaml, yamlFrontmatter } from '@codemirror/lang-yaml';
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentUnit } from '@codemirror/language';
import { lintGutter, nextDiagnostic, previousDiagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';

import { languageOf, nameOf } from '../logic/paths.ts';
import { cursor } from './cursor.ts';
import type { OpenFile } from './documents.ts';
import { hangingIndent } from './hangingIndent.ts';
import { appearance } from './theme.ts';

const LANGUAGES: Record<string, () => Extension> = {
  yaml,
  markdown: () => yamlFrontmatter({ content: markdown() }),
  python,
  json,
};

export function editorOf(file: OpenFile, doc: Text, server: Extension, nonce: string): EditorView {
  const language = LANGUAGES[languageOf(file.path)];
  const save = () => {
    void file.save();
    return true;
  };
  const extensions: Extension[] = [
    EditorView.cspNonce.of(nonce),
    lintGutter(),
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    codeFolding(),
    foldGutter(),
    drawSelection(),
    EditorView.lineWrapping,
    hangingIndent,
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    indentUnit.of('  '),
    EditorState.tabSize.of(2),
    keymap.of([
      { key: 'Mod-s', run: save, preventDefault: true },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...completionKeymap,
      // The list of problems is below the editor.
      { key: 'F8', run: nextDiagnostic },
      { key: 'Shift-F8', run: previousDiagnostic },
    ]),
    appearance,
    language?.() ?? [],
    EditorView.contentAttributes.of({ 'aria-label': `Text of ${nameOf(file.path)}`, spellcheck: 'false', tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) {
        file.edited();
      }
      if (update.docChanged || update.selectionSet || update.focusChanged) {
        cursor.value = { path: file.path, offset: update.state.selection.main.head };
      }
    }),
    server,
  ];
  return new EditorView({ state: EditorState.create({ doc, extensions }) });
}
