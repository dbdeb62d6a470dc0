/** How evals and runs look in the Runs view. */

import { env, ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState, Uri, workspace } from 'vscode';

import { agentOf, scoreOf, startTime, type RecordedEval, type RecordedRun } from './recordedRuns';

export type RunsNode = EvalNode | RunNode | MoreNode;

export interface EvalNode {
  kind: 'eval';
  uri: string;
  recorded: RecordedEval;
}

export interface RunNode {
  kind: 'run';
  uri: string;
  run: RecordedRun;
}

/** Stands for the runs that are not loaded yet. */
export interface MoreNode {
  kind: 'more';
  parent: EvalNode;
  before: string;
}

export function isRunsNode(value: unknown): value is RunsNode {
  const kind = (value as Partial<RunsNode> | null | undefined)?.kind;
  return kind === 'eval' || kind === 'run' || kind === 'more';
}

export function treeItem(node: RunsNode, isOnly: boolean): TreeItem {
  switch (node.kind) {
    case 'eval':
      return evalItem(node, isOnly);
    case 'run':
      return runItem(node);
    case 'more':
      return moreItem(node);
  }
}

function evalItem({ uri, recorded: { name, count, last } }: EvalNode, isOnly: boolean): TreeItem {
  const { Expanded, Collapsed } = TreeItemCollapsibleState;
  const item = new TreeItem(name, isOnly ? Expanded : Collapsed);
  item.id = `eval:${uri}`;
  item.contextValue = 'eval';
  item.iconPath = icon(last.status);
  item.description = `${count} ${count === 1 ? 'run' : 'runs'}`;
  item.tooltip = workspace.asRelativePath(Uri.parse(uri));
  item.accessibilityInformation = { label: `${name}, ${item.description}, last run ${last.status}` };
  return item;
}

function runItem(node: RunNode): TreeItem {
  const { run } = node;
  // The score first: it stays readable in a narrow view.
  const item = new TreeItem(scoreOf(run));
  item.id = `run:${run.runId}`;
  item.contextValue = 'run';
  item.iconPath = icon(run.status);
  item.description = [startTime(run, env.language), agentOf(run)].filter(Boolean).join(' · ');
  item.tooltip = [
    run.status === 'broken' ? 'The run was ended before it was done' : `The run ${says(run.status)}`,
    `${run.tasks} ${run.tasks === 1 ? 'task' : 'tasks'}, ${run.trials} ${run.trials === 1 ? 'trial' : 'trials'} each`,
    ...(run.finishedAt === null ? [] : [`${(run.finishedAt - run.startedAt).toFixed(1)} s`]),
    run.runId,
  ].join('\n');
  item.accessibilityInformation = { label: `${run.status}, ${String(item.label)}, ${item.description}` };
  item.command = { command: 'waza.showReport', title: 'Show Report', arguments: [node] };
  return item;
}

function moreItem(node: MoreNode): TreeItem {
  const item = new TreeItem('Show older runs');
  item.id = `more:${node.parent.uri}:${node.before}`;
  item.contextValue = 'more';
  item.iconPath = new ThemeIcon('ellipsis');
  item.command = { command: 'waza.moreRuns', title: 'Show Older Runs', arguments: [node] };
  return item;
}

function says(status: string): string {
  return { running: 'is running', cancelled: 'was cancelled', error: 'ended with an error' }[status] ?? status;
}

const icons: Record<string, [string, string?]> = {
  passed: ['testing-passed-icon', 'testing.iconPassed'],
  failed: ['testing-failed-icon', 'testing.iconFailed'],
  error: ['testing-error-icon', 'testing.iconErrored'],
  cancelled: ['testing-skipped-icon', 'testing.iconSkipped'],
  running: ['sync~spin'],
};

function icon(status: string): ThemeIcon {
  const [name, color] = icons[status] ?? ['circle-slash'];
  return new ThemeIcon(name, color === undefined ? undefined : new ThemeColor(color));
}
