/** Renames what is at the cursor, in all files. @codemirror/lsp-client applies edits of open files only. */

import { LSPPlugin } from '@codemirror/lsp-client';
import type { Extension } from '@codemirror/state';
import { type EditorView, keymap, showDialog } from '@codemirror/view';
import type { WorkspaceEdit } from 'vscode-languageserver-types';

import { tell } from '../studio.ts';
import type { LanguageServer } from './server.ts';
import { applyEdit } from './workspace.ts';

export function rename(server: () => LanguageServer): Extension {
  const ask = async (view: EditorView): Promise<void> => {
    const plugin = LSPPlugin.get(view);
    const offset = view.state.selection.main.head;
    if (plugin === null) {
      return;
    }
    const params = { textDocument: { uri: plugin.uri }, position: plugin.toPosition(offset) };
    const place = await server().request<{ placeholder?: string } | null>('textDocument/prepareRename', params);
    if (place === null) {
      tell('There is no name at the cursor that can be changed.');
      return;
    }
    const { close, result } = showDialog(view, {
      label: 'New name',
      input: { name: 'name', value: place.placeholder ?? '' },
      focus: true,
      submitLabel: 'Rename',
    });
    const form = await result;
    view.dispatch({ effects: close });
    view.focus();
    const newName = form === null ? null : new FormData(form).get('name');
    if (typeof newName === 'string' && newName !== '') {
      const edit = await server().request<WorkspaceEdit | null>('textDocument/rename', { ...params, newName });
      const { failureReason } = await applyEdit(server().client, edit ?? {});
      if (failureReason !== undefined) {
        tell(failureReason, 'warning');
      }
    }
  };
  const run = (view: EditorView): boolean => {
    ask(view).catch((error: { message: string }) => tell(error.message, 'warning'));
    return true;
  };
  return keymap.of([{ key: 'F2', run, preventDefault: true }]);
}
