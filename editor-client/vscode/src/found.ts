/** What the search for a server ends with. */

import type { CancellationToken, LogOutputChannel } from 'vscode';

export interface ServerCommand {
  command: string;
  args: string[];
  /** Where it is from, for the user. */
  origin: string;
  /** It runs in the environment that the extension made. */
  isOurs: boolean;
}

/** The reason why there is nothing to start, for the user. */
export interface NotFound {
  problem: string;
  /** The setting with the wrong value. */
  setting?: string;
  /** The user has to install Python first. */
  needsPython?: boolean;
  /** The user has cancelled the installation. */
  cancelled?: boolean;
}

/** What the extension has for the server. */
export interface Places {
  /** The folder with the wheel and the lock file. */
  bundle: string;
  /** The folder of the environments that are made from them. */
  storage: string;
  log: LogOutputChannel;
  /** The window closes. */
  closing: CancellationToken;
}
