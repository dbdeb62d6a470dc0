/** Findings that the server publishes: squiggles and marks in the editor, and the list of problems. */

import { LSPPlugin, type LSPClient } from '@codemirror/lsp-client';
import { type Diagnostic, forEachDiagnostic, setDiagnostics, setDiagnosticsEffect } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Diagnostic as Finding } from 'vscode-languageserver-types';

import { documents } from '../editor/documents.ts';
import { codeOf, isProblem, severityOf } from '../logic/findings.ts';
import { toPath } from '../logic/paths.ts';
import { offsetOf } from '../logic/textEdits.ts';
import { type Problem, problems, session } from '../studio.ts';

const SYNC_AFTER_MS = 120;

export interface Published {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: readonly Finding[];
}

type Fix = (view: EditorView, from: number, to: number) => void;

export function showFindings(client: LSPClient, params: Published, fix: Fix): void {
  const file = client.workspace.getFile(params.uri);
  const view = file?.getView();
  const plugin = view && LSPPlugin.get(view);
  if (file === null || view == null || plugin == null) {
    listElsewhere(params);
    return;
  }
  if (params.version !== undefined && params.version !== file.version) {
    return; // Those of the newest text follow.
  }
  const found = params.diagnostics.filter((it) => isProblem(codeOf(it))).map((it): Diagnostic => {
    const from = plugin.unsyncedChanges.mapPos(offsetOf(plugin.syncedDoc, it.range.start));
    const to = plugin.unsyncedChanges.mapPos(offsetOf(plugin.syncedDoc, it.range.end));
    const tags = (it.tags ?? []).map((tag) => (tag === 1 ? 'unneeded' : 'outdated'));
    return {
      from,
      to: Math.max(from, to),
      severity: severityOf(it),
      source: codeOf(it),
      message: it.message,
      ...(tags.length > 0 && { markClass: tags.join(' ') }),
      ...(it.codeDescription && { renderMessage: () => rendered(it.message, codeOf(it), it.codeDescription?.href ?? '') }),
      actions: [{ name: 'Quick fix', apply: fix }],
    };
  });
  view.dispatch(setDiagnostics(view.state, found));
}

function rendered(message: string, code: string, address: string): Node {
  const whole = document.createElement('span');
  whole.append(message, ' ');
  if (/^https:\/\//.test(address)) {
    const link = document.createElement('a');
    link.href = address;
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
    link.textContent = code;
    whole.append(link);
  }
  return whole;
}

function listElsewhere({ uri, diagnostics }: Published): void {
  const path = toPath(session.value?.root_uri ?? '', uri);
  if (path !== null) {
    const listed = diagnostics.filter((it) => isProblem(codeOf(it))).map((it) => ({
      path,
      from: -1,
      line: it.range.start.line,
      severity: severityOf(it),
      message: it.message,
      code: codeOf(it),
    }));
    list(path, listed);
  }
}

function list(path: string, found: readonly Problem[]): void {
  const all = new Map(problems.value);
  if (found.length === 0) {
    all.delete(path);
  } else {
    all.set(path, found);
  }
  problems.value = all;
}

/** Keeps the list of problems like the editor's, and sends edits to the server soon. */
export const findings: Extension = [
  EditorView.updateListener.of((update) => {
    const told = update.transactions.some((it) => it.effects.some((effect) => effect.is(setDiagnosticsEffect)));
    if (told || update.docChanged) {
      const file = documents.open.value.find((it) => it.view === update.view);
      const found: Problem[] = [];
      forEachDiagnostic(update.state, ({ severity, message, source = '' }, from) => {
        const line = update.state.doc.lineAt(from).number - 1;
        found.push({ path: file?.path ?? '', from, line, severity, message, code: source });
      });
      if (file !== undefined) {
        list(file.path, found.sort((a, b) => a.from - b.from));
      }
    }
    if (update.docChanged) {
      window.setTimeout(() => LSPPlugin.get(update.view)?.client.sync(), SYNC_AFTER_MS);
    }
  }),
];
