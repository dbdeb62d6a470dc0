/** What a lens looks like: something to start, or a result. Pure. */

import type { Command } from 'vscode-languageserver-types';

export function lensKind({ command, title }: Command): string {
  if (command === 'waza.showReport') {
    const [first] = title;
    return first === '✓' ? 'passed' : first === '✗' || first === '⚠' ? 'failed' : 'result';
  }
  if (command === 'waza.showAudit') {
    return title.startsWith('⚠') ? 'doubtful' : 'result';
  }
  return command === 'waza.cancelRun' ? 'stop' : 'start';
}
