/** What a workspace edit does to each file, in either of its forms. Pure. */

import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';

export interface FileEdits {
  readonly uri: string;
  /** The version of the text that the edits are for, if the server said it. */
  readonly version: number | null;
  readonly isNew: boolean;
  readonly edits: TextEdit[];
}

export function filesOf(edit: WorkspaceEdit): FileEdits[] {
  const files: FileEdits[] = [];
  if (edit.documentChanges === undefined) {
    return Object.entries(edit.changes ?? {}).map(([uri, edits]) => ({ uri, version: null, isNew: false, edits }));
  }
  for (const change of edit.documentChanges) {
    if ('textDocument' in change) {
      const { uri, version } = change.textDocument;
      const edits = change.edits.filter((it): it is TextEdit => 'newText' in it);
      const created = files.find((it) => it.isNew && it.uri === uri);
      if (created === undefined) {
        files.push({ uri, version, isNew: false, edits });
      } else {
        created.edits.push(...edits);
      }
    } else if (change.kind === 'create') {
      files.push({ uri: change.uri, version: null, isNew: true, edits: [] });
    } else {
      throw new Error(`The studio cannot ${change.kind} files.`);
    }
  }
  return files;
}
