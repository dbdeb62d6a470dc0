/** Verdicts of people, one key each: on what a run waits for, or on what a judge has decided. */

import { commands, TabInputText, Uri, ViewColumn, window, workspace, type Disposable, type QuickPickItem } from 'vscode';

import { offer } from './offer';
import type { Ask } from './recordedRuns';

interface Pending {
  task: string;
  trial: number;
  grader: string;
  instructions: string;
  criteria: string[];
  output: string;
}

interface Reviews {
  runId: string;
  pending: Pending[];
}

/** What a lens or the palette names: the eval, and a grader whose judge is to be judged. */
export interface About {
  uri: string;
  grader?: string;
}

interface Choice extends QuickPickItem {
  key: string;
}

const scheme = 'waza-review';
const choices: Choice[] = [
  { key: 'p', label: '$(pass) Passed', description: 'p' },
  { key: 'f', label: '$(error) Failed', description: 'f' },
  { key: 'n', label: '$(note) Add a note', description: 'n' },
  { key: 's', label: '$(debug-step-over) Skip', description: 's' },
  { key: 'r', label: '$(book) Show the report', description: 'r' },
];

/** Asks for one verdict after the other, and stores each at once. */
export async function reviewAll(about: About, ask: Ask): Promise<void> {
  const found = await send<Reviews>(ask, 'waza.pendingReviews', about);
  if (!found) {
    return; // The server has said why.
  }
  if (found.pending.length === 0) {
    offer('Nothing in the last run waits for your review.', 'Show Report', 'waza.showReport');
    return;
  }
  const page = showCase();
  let kept = 0;
  try {
    for (const [index, it] of found.pending.entries()) {
      await page.show(caseText(it));
      const decision = await decide(it, `${index + 1} of ${found.pending.length}`, about, found.runId);
      if (decision === undefined) {
        break;
      }
      if (decision !== 'skip') {
        const { task, trial, grader } = it;
        const answer = await send(ask, 'waza.review', { uri: about.uri, runId: found.runId, task, trial, grader, ...decision });
        if (!answer) {
          break; // The server has said why.
        }
        kept += 1;
      }
    }
  } finally {
    page.dispose();
  }
  const left = found.pending.length - kept;
  const rest = left > 0 ? `${left} left to review.` : 'Nothing is left to review.';
  void window.showInformationMessage(`${kept} ${kept === 1 ? 'verdict' : 'verdicts'} kept. ${rest}`);
}

async function send<T>(ask: Ask, command: string, argument: object): Promise<T | null | undefined> {
  return ask<T>('workspace/executeCommand', { command, arguments: [argument] });
}

async function decide(
  it: Pending,
  place: string,
  { uri }: About,
  runId: string,
): Promise<{ passed: boolean; comment: string } | 'skip' | undefined> {
  let comment = '';
  for (;;) {
    const key = await keyOf(`${place}: ${it.grader} on ${it.task}, trial ${it.trial}`, comment);
    switch (key) {
      case 'p':
      case 'f':
        return { passed: key === 'p', comment };
      case 'n':
        comment = (await window.showInputBox({ title: 'Note', value: comment, ignoreFocusOut: true })) ?? comment;
        break;
      case 's':
        return 'skip';
      case 'r':
        await commands.executeCommand('waza.showReport', { uri, runId });
        break;
      default:
        return undefined;
    }
  }
}

/** The chosen key: typed, or by its entry. Undefined if the user leaves. */
async function keyOf(title: string, note: string): Promise<string | undefined> {
  const pick = window.createQuickPick<Choice>();
  pick.title = title;
  pick.placeholder = note ? `Note: ${note}` : 'One key: p passed, f failed, n note, s skip, Escape to stop';
  pick.items = choices;
  pick.matchOnDescription = true;
  pick.ignoreFocusOut = true;
  try {
    return await new Promise<string | undefined>((resolve) => {
      pick.onDidChangeValue((typed) => {
        const known = choices.find(({ key }) => key === typed.trim().toLowerCase());
        if (known) {
          resolve(known.key);
        }
      });
      pick.onDidAccept(() => resolve(pick.selectedItems[0]?.key));
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

/** A read-only document beside the text, with the case that is decided. */
function showCase(): Disposable & { show: (text: string) => Promise<void> } {
  let shown = '';
  let number = 0;
  const provider = workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent: () => shown });
  return {
    async show(text: string): Promise<void> {
      shown = text;
      number += 1;
      const document = await workspace.openTextDocument(Uri.from({ scheme, path: `/Review ${number}.md` }));
      await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, preview: true, preserveFocus: true });
    },
    dispose(): void {
      provider.dispose();
      const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
      void window.tabGroups.close(tabs.filter(({ input }) => input instanceof TabInputText && input.uri.scheme === scheme));
    },
  };
}

function caseText({ task, trial, grader, instructions, criteria, output }: Pending): string {
  const asked = [instructions, ...criteria.map((it) => `- ${it}`)].filter(Boolean).join('\n');
  const answer = instructions.includes(output) && output ? [] : ['', '# Answer of the agent', '', output || '(nothing)'];
  return [`# ${grader} on ${task}, trial ${trial}`, '', asked, ...answer, ''].join('\n');
}
