/** Runs a program to its end, with its output in the log. */

import { spawn } from 'node:child_process';
import * as readline from 'node:readline';
import { CancellationError, type CancellationToken, type LogOutputChannel } from 'vscode';

export async function execute(
  [program = '', ...args]: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
  { log, cancellation }: { log: LogOutputChannel; cancellation: CancellationToken },
  onLine: (line: string) => void,
): Promise<void> {
  if (cancellation.isCancellationRequested) {
    throw new CancellationError();
  }
  log.info([program, ...args].join(' '));
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const cancelled = cancellation.onCancellationRequested(() => child.kill());
  for (const stream of [child.stdout, child.stderr]) {
    readline.createInterface({ input: stream }).on('line', (line) => {
      log.info(line);
      onLine(line);
    });
  }
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve);
    });
    if (cancellation.isCancellationRequested) {
      throw new CancellationError();
    }
    if (code !== 0) {
      throw new Error(`${program} ended with status ${code}`);
    }
  } finally {
    cancelled.dispose();
  }
}
