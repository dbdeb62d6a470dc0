/** Starts the page. */

import { hoverTooltips, formatKeymap, findReferencesKeymap, jumpToDefinitionKeymap } from '@codemirror/lsp-client';
import { keymap } from '@codemirror/view';
import { render } from 'preact';

import { readRuns, readSession, Refusal } from './api.ts';
import { askToTrust, execute, serveCommands, showTrace } from './commands.ts';
import { documents } from './editor/documents.ts';
import { keepOnlyOf, kept } from './editor/kept.ts';
import { editorOf } from './editor/setup.ts';
import { languageOf } from './logic/paths.ts';
import { codeLenses } from './lsp/codeLenses.ts';
import { completion } from './lsp/completion.ts';
import { findings, showFindings } from './lsp/findings.ts';
import { inlayHints } from './lsp/inlayHints.ts';
import { openMenu, quickFixes } from './lsp/quickFixes.ts';
import { rename } from './lsp/rename.ts';
import { safeHtml } from './lsp/safeHtml.ts';
import { LanguageServer } from './lsp/server.ts';
import { verdicts } from './lsp/verdicts.ts';
import { applyEdit, Files } from './lsp/workspace.ts';
import { App } from './panels/App.tsx';
import { readEntries } from './readEntries.ts';
import { otherTabs } from './otherTabs.ts';
import { panel, type PanelName, session, tell, trace } from './studio.ts';

async function start(root: HTMLElement): Promise<void> {
  const told = await readSession();
  session.value = told;
  keepOnlyOf(told.root_uri);
  const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '';
  const of = () => server;
  const server: LanguageServer = new LanguageServer(
    told.root_uri,
    (client) => new Files(client),
    safeHtml,
    [
      completion(of),
      rename(of),
      hoverTooltips(),
      keymap.of([...formatKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
      findings,
      verdicts((view, line, message) => {
        const file = documents.open.value.find((it) => it.view === view);
        if (file !== undefined) {
          void showFailedCheck(file.path, line, message);
        }
      }),
      quickFixes(of),
      inlayHints(of),
      codeLenses(of, (command) => void execute(command)),
    ],
    {
      published: (params) => showFindings(server.client, params, (view, from, to) => void openMenu(view, from, to)),
      applyEdit: (edit) => applyEdit(server.client, edit),
      manageTrust: () => void askToTrust(),
      checkSession: () => {
        // A studio that has ended refuses the connection too; that it does so is shown in the status bar.
        readSession().then(
          (it) => (session.value = it),
          (it: Error) => it instanceof Refusal && tell(it.message, 'error'),
        );
      },
    },
  );
  serveCommands(server);
  documents.makeView = (file, doc) => editorOf(file, doc, server.client.plugin(file.uri, languageOf(file.path)), nonce);
  documents.onSaved = (file) => {
    server.notify('textDocument/didSave', { textDocument: { uri: file.uri } });
    otherTabs.tell(file.path);
  };
  otherTabs.listen((path) => {
    void documents.find(path)?.lookAtDisk();
    void readEntries();
  });
  addEventListener('focus', () => {
    documents.open.value.forEach((it) => void it.lookAtDisk());
    void readEntries();
  });
  addEventListener('pagehide', () => documents.open.value.forEach((it) => it.leave()));
  const { panel: shown, trace: place } = kept();
  trace.value = place ?? null;
  panel.value = (shown as PanelName | undefined) ?? 'outline';
  root.replaceChildren();
  render(<App server={server} />, root);
  await Promise.all([server.connect(), readEntries(), documents.restore(told.start_file ?? '')]);
}

/** Open the step that a failed check points to. The newest run of the eval has it. */
async function showFailedCheck(path: string, line: number, message: string): Promise<void> {
  const { runs } = await readRuns(path);
  showTrace(runs.find((it) => it.status !== 'running')?.id ?? '', undefined, { path, line: line + 1, message });
  // The panel is wider than before, so the lines of the editor have moved.
  requestAnimationFrame(() => void documents.show(path, { line }));
}

const root = document.getElementById('studio');
if (root !== null) {
  start(root).catch((error: Error) => {
    root.textContent = `The studio cannot start. ${error.message}`;
  });
}
