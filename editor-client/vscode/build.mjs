// Bundles the extension and the server into dist/ and collects the licence texts of the packages that went in.

import { build } from 'esbuild';
import { readFile, readdir, writeFile } from 'node:fs/promises';

import { bundleServer } from './bundle-server.mjs';

const { metafile } = await build({
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  external: ['vscode'],
  format: 'cjs',
  platform: 'node',
  // The Node inside VS Code 1.91, the oldest version that `engines` admits.
  target: 'node20',
  minify: true,
  metafile: true,
});

const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const folders = Object.keys(metafile.inputs).map((input) => packageFolder.exec(input)?.[0]);
const notices = await Promise.all([...new Set(folders)].filter(Boolean).sort().map(notice));
await writeFile('dist/THIRD-PARTY-NOTICES.txt', notices.join('\n\n'));
await bundleServer();

async function notice(folder) {
  const { name, version } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
  const file = (await readdir(folder)).find((it) => /^licen[cs]e/i.test(it));
  if (!file) {
    throw new Error(`${folder} has no licence file`);
  }
  const text = (await readFile(`${folder}/${file}`, 'utf8')).trim();
  return `${name} ${version}\n\n${text}\n`;
}
