/** Which runs a command is about: those of the Runs view, or the user's choice from a list. */

import { env, window, workspace, Uri, type QuickPickItem } from 'vscode';

import { offer, offerRun } from './offer';
import {
  agentOf,
  runsMethod,
  scoreOf,
  startTime,
  type Ask,
  type RecordedEvals,
  type RecordedRun,
  type RunsPage,
} from './recordedRuns';
import type { RunsNode } from './runItems';

export interface ChosenRuns {
  runIds: string[];
  uri: string;
}

interface RunItem extends QuickPickItem {
  run: RecordedRun;
}

/** The runs to compare, the oldest first: the selected ones, or one and those that the user chooses. */
export async function runsToCompare(nodes: RunsNode[], ask: Ask): Promise<ChosenRuns | undefined> {
  const selected = selectedRuns(nodes);
  if (selected.length > 1) {
    return chosen(selected);
  }
  const uri = nodes[0] && 'uri' in nodes[0] ? nodes[0].uri : await chooseEval(ask);
  const [first] = selected;
  const runs = (uri === undefined ? [] : await runsOf(uri, ask)).filter((it) => it.runId !== first?.runId);
  if (uri === undefined || runs.length + selected.length < 2) {
    if (uri !== undefined) {
      offerRun('Only one run is recorded. Run again to compare.');
    }
    return undefined;
  }
  const title = first ? `Compare the run of ${startTime(first, env.language)} with` : 'Compare runs: choose two';
  const picked = await window.showQuickPick(runs.map(runItem), { title, canPickMany: true, matchOnDescription: true });
  const all = [...selected, ...(picked ?? []).map(({ run }) => run)];
  if (picked && all.length < 2) {
    offer('Choose at least two runs to compare.', 'Compare Runs', 'waza.compareRuns');
  }
  return picked && all.length > 1 ? chosen(all) : undefined;
}

/** The selected runs, if the user confirms that they are deleted. */
export async function runsToDelete(nodes: RunsNode[], ask: Ask): Promise<ChosenRuns | undefined> {
  let runs = selectedRuns(nodes);
  if (nodes.length === 0) {
    const uri = await chooseEval(ask);
    const items = uri === undefined ? [] : (await runsOf(uri, ask)).map(runItem);
    const picked = await window.showQuickPick(items, { title: 'Delete runs', canPickMany: true });
    runs = (picked ?? []).map(({ run }) => run);
  }
  const [first] = runs;
  if (!first) {
    return undefined;
  }
  const what = runs.length === 1 ? `the run of ${startTime(first, env.language)}` : `${runs.length} runs`;
  const detail = 'Recordings, verdicts and reports of the run are deleted. You cannot undo this.';
  const answer = await window.showWarningMessage(`Delete ${what}?`, { modal: true, detail }, 'Delete');
  return answer === 'Delete' ? chosen(runs) : undefined;
}

/** The run of the Runs view, or the one that the user chooses. */
export async function runToRepeat(nodes: RunsNode[], ask: Ask): Promise<{ runId: string; uri: string } | undefined> {
  const [selected] = selectedRuns(nodes);
  if (selected) {
    return { runId: selected.runId, uri: selected.uri };
  }
  const uri = await chooseEval(ask);
  const items = uri === undefined ? [] : (await runsOf(uri, ask)).map(runItem);
  const picked = await window.showQuickPick(items, { title: 'Run again like', matchOnDescription: true });
  return picked && { runId: picked.run.runId, uri: picked.run.uri };
}

async function chooseEval(ask: Ask): Promise<string | undefined> {
  const { evals = [] } = (await ask<RecordedEvals>(runsMethod, {})) ?? {};
  if (evals.length === 0) {
    offerRun('No run is recorded in this workspace yet.');
  }
  const items = evals.map(({ uri, name, count }) => ({
    label: name,
    description: `${count} ${count === 1 ? 'run' : 'runs'} · ${workspace.asRelativePath(Uri.parse(uri))}`,
    uri,
  }));
  const picked = items.length > 1 ? await window.showQuickPick(items, { title: 'Runs of which eval?' }) : items[0];
  return picked?.uri;
}

async function runsOf(uri: string, ask: Ask): Promise<RecordedRun[]> {
  return (await ask<RunsPage>(runsMethod, { uri }))?.runs ?? [];
}

function selectedRuns(nodes: RunsNode[]): RecordedRun[] {
  return nodes.flatMap((it) => (it.kind === 'run' ? [it.run] : []));
}

function chosen(runs: RecordedRun[]): ChosenRuns {
  const sorted = [...runs].sort((one, other) => one.startedAt - other.startedAt);
  return { runIds: sorted.map(({ runId }) => runId), uri: sorted[0]?.uri ?? '' };
}

function runItem(run: RecordedRun): RunItem {
  return { label: startTime(run, env.language), description: `${run.status} ${scoreOf(run)} · ${agentOf(run)}`, run };
}
