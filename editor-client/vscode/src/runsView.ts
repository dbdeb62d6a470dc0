/**
 * The Runs view: the evals with recorded runs, and below each its runs, newest first. It requests
 * only what is visible: evals when the view is open, a page of runs when an eval is expanded.
 */

import { commands, Disposable, EventEmitter, window, type TreeDataProvider } from 'vscode';

import { runsMethod, type RecordedEvals, type RunsPage } from './recordedRuns';
import { treeItem, type EvalNode, type MoreNode, type RunsNode } from './runItems';
import type { Server } from './server';

/** Several events of one run end in one request. */
const pauseMs = 300;

export function createRunsView(server: Server): Disposable {
  const changed = new EventEmitter<RunsNode | undefined>();
  const pages = new Map<string, RunsPage>();
  let roots: EvalNode[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function evals(): Promise<EvalNode[]> {
    const found = await server.request<RecordedEvals>(runsMethod, {});
    roots = (found?.evals ?? []).map((recorded) => ({ kind: 'eval', uri: recorded.uri, recorded }));
    view.message = found?.problems.join('\n') ?? '';
    return roots;
  }

  async function load(uri: string, before?: string): Promise<RunsPage> {
    const found = await server.request<RunsPage>(runsMethod, before === undefined ? { uri } : { uri, before });
    const earlier = before === undefined ? [] : (pages.get(uri)?.runs ?? []);
    const page = { runs: [...earlier, ...(found?.runs ?? [])], more: found?.more ?? false, problems: [] };
    pages.set(uri, page);
    return page;
  }

  async function runsOf(parent: EvalNode): Promise<RunsNode[]> {
    const { uri } = parent;
    const { runs, more } = pages.get(uri) ?? (await load(uri));
    const nodes: RunsNode[] = runs.map((run) => ({ kind: 'run', uri, run }));
    const last = runs.at(-1);
    return more && last ? [...nodes, { kind: 'more', parent, before: last.runId }] : nodes;
  }

  const provider: TreeDataProvider<RunsNode> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: (node) => treeItem(node, roots.length === 1),
    async getChildren(node) {
      if (node === undefined) {
        return evals();
      }
      return node.kind === 'eval' ? runsOf(node) : [];
    },
  };
  const view = window.createTreeView('waza.runs', {
    treeDataProvider: provider,
    canSelectMany: true,
    showCollapseAll: true,
  });

  function refresh(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      pages.clear();
      changed.fire(undefined);
    }, pauseMs);
  }

  return Disposable.from(
    view,
    changed,
    { dispose: () => clearTimeout(timer) },
    commands.registerCommand('waza.refreshRuns', refresh),
    commands.registerCommand('waza.moreRuns', async ({ parent, before }: MoreNode) => {
      await load(parent.uri, before);
      changed.fire(parent);
    }),
    server.onReady(refresh),
    server.onGone(refresh),
    server.onRunEvent(({ event }) => event === 'run_finished' && refresh()),
    server.onTestsChanged((uri) => uri === undefined && refresh()),
  );
}
