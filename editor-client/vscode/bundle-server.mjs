// Puts what the extension needs to install the server into dist/server: our wheel, a lock file with hashes, and pip.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';

const folder = 'dist/server';
const python = process.env.PYTHON ?? 'python3';

export async function bundleServer() {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // Many Pythons have no pip. The server's environment keeps it, so that users can add packages of extras.
  pip('download', '--no-deps', '--require-hashes', '--only-binary', ':all:', '--requirement', 'server/pip.txt', '--dest', folder);
  await addOurWheel();
  const wheels = (await readdir(folder)).filter((it) => it.endsWith('.whl'));
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  if (!wheels.some((it) => it.startsWith(`waza_lsp-${version}-`))) {
    throw new Error(`The extension has version ${version}, but the wheels are ${wheels}`);
  }
  const lock = await readFile('server/requirements.txt', 'utf8');
  const ours = await Promise.all(wheels.sort().map(requirement));
  await writeFile(`${folder}/requirements.txt`, lock + ours.join(''));
}

async function requirement(wheel) {
  const hash = createHash('sha256').update(await readFile(`${folder}/${wheel}`)).digest('hex');
  return `./${wheel} --hash=sha256:${hash}\n`;
}

/** The wheel that WAZA_LSP_WHEEL names, or one that is built from this checkout. */
async function addOurWheel() {
  const ready = process.env.WAZA_LSP_WHEEL;
  if (ready) {
    await copyFile(ready, `${folder}/${basename(ready)}`);
  } else {
    pip('wheel', '--no-deps', '--wheel-dir', folder, '../..');
  }
}

function pip(...args) {
  execFileSync(python, ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...args], { stdio: 'inherit' });
}
