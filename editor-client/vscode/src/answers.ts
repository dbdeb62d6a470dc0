/** Shows the answers of server commands: a page, a verdict, or where files were written. */

import { Uri, type LogOutputChannel } from 'vscode';

import { showConversion } from './conversion';
import { showAudit, showReport } from './report';
import { showAddedCheck, showTrace } from './traceView';
import { showVerdict } from './verdict';
import { offerFolder } from './written';

/** `argument` is that of the command. */
export async function showAnswer(
  command: string,
  argument: unknown,
  answer: unknown,
  log: LogOutputChannel,
): Promise<void> {
  switch (command) {
    case 'waza.showReport':
    case 'waza.compareRuns':
      return showReport(answer);
    case 'waza.showAudit':
      return showAudit(answer, argument);
    case 'waza.showTrace':
      return showTrace(answer);
    case 'waza.addCheck':
      return showAddedCheck(answer);
    case 'waza.runSkill':
      return showVerdicts(answer);
    case 'waza.exportSchemas':
      return showSchemas(answer);
    case 'waza.convert':
      return showConversion(answer, log);
    default:
      return showVerdict(answer);
  }
}

/** The runs of several evals: those that did not pass, or else the last one. */
async function showVerdicts(answers: unknown): Promise<void> {
  const runs = Array.isArray(answers) ? (answers as { status?: string }[]) : [];
  const broken = runs.filter((it) => it.status !== 'passed');
  await Promise.all((broken.length > 0 ? broken : runs.slice(-1)).map(showVerdict));
}

async function showSchemas(answer: unknown): Promise<void> {
  const { directory, count } = (answer ?? {}) as { directory?: string; count?: number };
  if (directory !== undefined) {
    await offerFolder(`Wrote ${count} schemas.`, Uri.file(directory));
  }
}
