/**
 * The arguments of server commands without a target: from the command palette, or from a menu that
 * passes a file or nodes of the Runs view.
 */

import { Uri, window, workspace } from 'vscode';

import { conversionOf } from './conversion';
import { evalFiles, looksLikeEval } from './documents';
import { offer } from './offer';
import type { Ask } from './recordedRuns';
import { reviewAll, type About } from './review';
import { runsToCompare, runsToDelete, runToRepeat } from './runChoice';
import { isRunsNode, type RunsNode } from './runItems';

const aboutFile = new Set([
  'waza.runEval',
  'waza.runFailed',
  'waza.grade',
  'waza.showAudit',
  'waza.convert',
  'waza.review',
]);

/** The arguments to send, or undefined if the user chose nothing. */
export async function withArguments(command: string, args: unknown[], ask: Ask): Promise<unknown[] | undefined> {
  const [first, all] = args;
  if (command === 'waza.review' && isAbout(first)) {
    await reviewAll(first, ask); // From the lens above a grader with a judge.
    return undefined;
  }
  if (first !== undefined && !(first instanceof Uri) && !isRunsNode(first)) {
    return args; // From the server itself: a lens, or a code action.
  }
  const nodes = isRunsNode(first) ? (Array.isArray(all) ? all.filter(isRunsNode) : [first]) : [];
  const argument = await argumentOf(command, first instanceof Uri ? first : undefined, nodes, ask);
  return argument && [argument];
}

function isAbout(it: unknown): it is About {
  return typeof it === 'object' && it !== null && 'uri' in it && 'grader' in it && !('passed' in it);
}

async function argumentOf(
  command: string,
  given: Uri | undefined,
  nodes: RunsNode[],
  ask: Ask,
): Promise<object | undefined> {
  switch (command) {
    case 'waza.compareRuns':
      return runsToCompare(nodes, ask);
    case 'waza.deleteRuns':
      return runsToDelete(nodes, ask);
    case 'waza.rerun':
      return runToRepeat(nodes, ask);
    case 'waza.showReport':
    case 'waza.showTrace':
      return reportOf(nodes[0]);
  }
  const ofNode = nodes[0] && 'uri' in nodes[0] ? Uri.parse(nodes[0].uri) : undefined;
  const file = given ?? ofNode ?? (aboutFile.has(command) ? await evalFile() : undefined);
  if (!file) {
    return aboutFile.has(command) ? undefined : {};
  }
  switch (command) {
    case 'waza.convert':
      return conversionOf(file, ask);
    case 'waza.review':
      await reviewAll({ uri: file.toString() }, ask);
      return undefined;
    default:
      return { uri: file.toString() };
  }
}

/** The run of the Runs view, or the newest one: of the eval in the editor, or of all. */
function reportOf(node: RunsNode | undefined): object {
  if (node?.kind === 'run') {
    return { runId: node.run.runId, uri: node.uri };
  }
  const document = window.activeTextEditor?.document;
  return document && looksLikeEval(document) ? { uri: document.uri.toString() } : {};
}

/** The eval in the editor, or the only one of the workspace, or the user's choice. */
async function evalFile(): Promise<Uri | undefined> {
  const document = window.activeTextEditor?.document;
  if (document && looksLikeEval(document)) {
    return document.uri;
  }
  const found = await workspace.findFiles(evalFiles);
  const items = found.map((file) => ({ label: workspace.asRelativePath(file), file })).sort(byLabel);
  if (items.length === 0) {
    offer('There is no eval file in this workspace.', 'New Eval', 'waza.newEval');
  }
  const chosen = items.length > 1 ? await window.showQuickPick(items, { title: 'Which eval?' }) : items[0];
  return chosen?.file;
}

function byLabel(one: { label: string }, other: { label: string }): number {
  return one.label.localeCompare(other.label);
}
