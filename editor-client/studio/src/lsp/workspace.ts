/** The open files as @codemirror/lsp-client wants them, and edits that the server makes in them. */

import { type LSPClient, LSPPlugin, Workspace, type WorkspaceFile } from '@codemirror/lsp-client';
import type { Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { WorkspaceEdit } from 'vscode-languageserver-types';

import { writeFile } from '../api.ts';
import { documents } from '../editor/documents.ts';
import { sameUri, toPath } from '../logic/paths.ts';
import { changesOf } from '../logic/textEdits.ts';
import { type FileEdits, filesOf } from '../logic/workspaceEdits.ts';
import { session } from '../studio.ts';

class File implements WorkspaceFile {
  constructor(
    readonly uri: string,
    readonly languageId: string,
    public version: number,
    public doc: Text,
    private readonly view: EditorView,
  ) {}

  getView(): EditorView {
    return this.view;
  }
}

export class Files extends Workspace {
  files: File[] = [];
  private count = 0;

  constructor(client: LSPClient) {
    super(client);
  }

  override getFile(uri: string): File | null {
    return this.files.find((it) => sameUri(it.uri, uri)) ?? null;
  }

  syncFiles() {
    return this.files.flatMap((file) => {
      const plugin = LSPPlugin.get(file.getView());
      if (plugin === null || plugin.unsyncedChanges.empty) {
        return [];
      }
      const update = { file, prevDoc: file.doc, changes: plugin.unsyncedChanges };
      file.doc = file.getView().state.doc;
      file.version = ++this.count;
      plugin.clear();
      return [update];
    });
  }

  openFile(uri: string, languageId: string, view: EditorView): void {
    const file = new File(uri, languageId, ++this.count, view.state.doc, view);
    this.files.push(file);
    this.client.didOpen(file);
  }

  closeFile(uri: string): void {
    this.files = this.files.filter((it) => it.uri !== uri);
    this.client.didClose(uri);
  }

  override async requestFile(uri: string): Promise<WorkspaceFile | null> {
    const path = pathOf(uri);
    if (path !== null) {
      await documents.load(path).catch(() => undefined);
    }
    return this.getFile(uri);
  }

  override async displayFile(uri: string): Promise<EditorView | null> {
    const path = pathOf(uri);
    return path === null ? null : documents.show(path).then((it) => it.view, () => null);
  }
}

function pathOf(uri: string): string | null {
  return toPath(session.value?.root_uri ?? '', uri);
}

/** Apply an edit of the server: all of it, or nothing and the reason. */
export async function applyEdit(client: LSPClient, edit: WorkspaceEdit): Promise<{ applied: boolean; failureReason?: string }> {
  try {
    const files = filesOf(edit);
    for (const it of files) {
      await prepare(client, it);
    }
    for (const { uri, edits } of files) {
      const view = client.workspace.getFile(uri)?.getView();
      view?.dispatch({ changes: changesOf(view.state.doc, edits), userEvent: 'input.edit', scrollIntoView: true });
    }
    client.sync();
    return { applied: true };
  } catch (error) {
    return { applied: false, failureReason: (error as Error).message };
  }
}

async function prepare(client: LSPClient, { uri, version, isNew }: FileEdits): Promise<void> {
  const path = pathOf(uri);
  if (path === null) {
    throw new Error(`${uri} is outside of the studio's folder.`);
  }
  if (isNew) {
    await writeFile(path, '', '');
  }
  await documents.load(path);
  const file = client.workspace.getFile(uri);
  const view = file?.getView();
  if (file === null || view == null) {
    throw new Error(`${path} cannot be opened.`);
  }
  const hasChanged = LSPPlugin.get(view)?.unsyncedChanges.empty === false;
  if (hasChanged || (version !== null && version !== file.version)) {
    throw new Error(`${path} has changed meanwhile. Try again.`);
  }
}
