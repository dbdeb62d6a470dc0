/** The programs that make the server's environment, in their order, and what their failure means. Starts no process. */

import type { Bundle } from './bundle';

export interface Step {
  command: string[];
  title: string;
}

/** Nothing is installed that the lock does not name with its hash, and nothing is built, which would run foreign code. */
const locked = ['--no-deps', '--require-hashes', '--only-binary', ':all:'];

/** A wheel of pure Python is an archive of what belongs into the folder of packages. */
const unpack = 'import sys, sysconfig, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sysconfig.get_path("purelib"))';

/** With the pip of the extension, because many Pythons have none. */
export function stepsWithPip(python: string, target: string, inside: string, bundle: Bundle): Step[] {
  const install = ['install', '--no-input', '--disable-pip-version-check', '--no-compile', '--retries', '2'];
  return [
    { command: [python, '-I', '-m', 'venv', '--without-pip', target], title: 'making an environment' },
    { command: [inside, '-I', '-c', unpack, bundle.pip], title: 'making an environment' },
    {
      command: [inside, '-I', '-m', 'pip', ...install, ...locked, '-r', bundle.requirements],
      title: `installing ${bundle.packages} packages`,
    },
  ];
}

/** With uv, which brings a Python if there is none. `offline`: only from its cache. */
export function stepsWithUv(
  uv: string,
  python: string | undefined,
  target: string,
  inside: string,
  { requirements, packages }: Bundle,
  offline: boolean,
): Step[] {
  const quick = ['--no-progress', ...(offline ? ['--offline'] : [])];
  const version = python ?? '>=3.11,<3.15';
  return [
    {
      command: [uv, 'venv', ...quick, '--no-project', '--python', version, target],
      title: python ? 'making an environment' : 'getting Python',
    },
    {
      command: [uv, 'pip', 'install', ...quick, '--python', inside, ...locked, '-r', requirements],
      title: `installing ${packages} packages`,
    },
  ];
}

/** The environment for these programs: without variables that would install elsewhere or something else. */
export function stepEnvironment(given: NodeJS.ProcessEnv, nothing: string): NodeJS.ProcessEnv {
  const unwanted = /^(PYTHON(HOME|PATH)|__PYVENV_LAUNCHER__|VIRTUAL_ENV|CONDA_PREFIX|PIP_(TARGET|PREFIX|ROOT|USER|REQUIREMENT)|UV_(CONSTRAINT|OVERRIDE|PYTHON|PROJECT.*|SYSTEM_PYTHON))$/;
  const kept = Object.entries(given).filter(([name]) => !unwanted.test(name.toUpperCase()));
  // The system's certificates, which pip uses, too: companies add their proxy's to them.
  const certificates = { UV_NATIVE_TLS: 'true', UV_SYSTEM_CERTS: 'true' };
  return { ...certificates, ...Object.fromEntries(kept), PIP_CONSTRAINT: nothing, PIP_REQUIRE_VIRTUALENV: '0', PIP_USER: '0' };
}

/** What went wrong and what to do, from the lines that the programs wrote. */
export function explainFailure(lines: readonly string[]): string {
  const said = (pattern: RegExp): boolean => lines.some((it) => pattern.test(it));
  if (said(/do not match the hashes|hash mismatch/i)) {
    return 'The package index has another file than expected. Nothing was installed.';
  }
  if (said(/connection|connect error|failed to (fetch|establish)|resolve|timed? ?out|network|dns|proxy|certificate/i)) {
    return 'The package index could not be reached. Check the network, or set PIP_FIND_LINKS to wheels.';
  }
  if (said(/no matching distribution|no wheels|has no wheel|no usable wheels/i)) {
    return 'A package is not ready for this Python on this machine. Choose another Python.';
  }
  if (said(/no space left|disk quota/i)) {
    return 'The disk is full.';
  }
  const last = [...lines].reverse().find((it) => it.trim() !== '')?.trim();
  return last ? `The installation failed: ${last}` : 'The installation failed.';
}
