// Builds the page into the server's package data; `node build.mjs tests` runs the tests of its logic instead.

import { spawnSync } from 'node:child_process';
import { mkdtemp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from 'esbuild';

const target = process.env.WAZA_STUDIO_OUT ?? '../../waza_lsp/studio/page';
// The trace viewer is built into the page, with the page's packages: two copies of Preact would not share their hooks.
const ownPackages = {
  name: 'own-packages',
  setup(building) {
    building.onResolve({ filter: /^[^.]/ }, ({ path, kind, importer, pluginData }) =>
      pluginData === 'own' || !importer.includes('/viewer/src/')
        ? undefined
        : building.resolve(path, { kind, resolveDir: process.cwd(), pluginData: 'own' }),
    );
  },
};
const shared = { bundle: true, jsx: 'automatic', jsxImportSource: 'preact', plugins: [ownPackages], metafile: true, logLevel: 'warning' };

await (process.argv[2] === 'tests' ? runTests() : buildPage());

async function buildPage() {
  await mkdir(`${target}/assets`, { recursive: true });
  const page = { ...shared, minify: true, charset: 'ascii', legalComments: 'none', target: 'es2022' };
  const script = await build({ ...page, entryPoints: ['src/main.tsx'], outfile: `${target}/assets/studio.js`, format: 'esm' });
  await build({ ...page, entryPoints: ['src/studio.css'], outfile: `${target}/assets/studio.css` });
  await writeFile(`${target}/index.html`, await readFile('src/index.html'));
  const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
  const folders = Object.keys(script.metafile.inputs).map((input) => packageFolder.exec(input)?.[0]);
  const notices = await Promise.all([...new Set(folders)].filter(Boolean).sort().map(notice));
  await writeFile(`${target}/assets/THIRD-PARTY-NOTICES.txt`, notices.join('\n\n'));
}

async function notice(folder) {
  const { name, version } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
  const file = (await readdir(folder)).find((it) => /^licen[cs]e/i.test(it));
  if (!file) {
    throw new Error(`${folder} has no licence file`);
  }
  const text = (await readFile(`${folder}/${file}`, 'utf8')).trim();
  return `${name} ${version}\n\n${text}\n`;
}

async function runTests() {
  const folder = await mkdtemp(join(tmpdir(), 'studio-tests-'));
  try {
    const tests = (await readdir('tests')).filter((it) => it.endsWith('.test.ts')).map((it) => `tests/${it}`);
    await build({ ...shared, entryPoints: tests, outdir: folder, format: 'esm', platform: 'node', outExtension: { '.js': '.mjs' } });
    const files = (await readdir(folder)).map((it) => join(folder, it));
    process.exitCode = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' }).status ?? 1;
  } finally {
    await rm(folder, { recursive: true });
  }
}
