/**
 * Beside Red Hat's YAML extension, which claims the same files.
 *
 * It guesses schemas from file names, and takes `tasks/*.yaml` for Ansible: eval files get a
 * schema from us that allows everything. What it says about YAML in general is left to it.
 */

import { extensions, Uri, workspace } from 'vscode';

import { looksLikeEval } from './documents';

const id = 'redhat.vscode-yaml';

/** The part of its public API that is used here. */
interface YamlApi {
  registerContributor(
    scheme: string,
    requestSchema: (resource: string) => string | undefined,
    requestSchemaContent: (uri: string) => string,
  ): boolean;
}

/** What the server may leave out: names that its setting `waza.beside` takes. */
export function givenByYamlExtension(): string[] {
  if (!extensions.getExtension(id)) {
    return [];
  }
  const validates = workspace.getConfiguration('yaml').get('validate', true);
  return [...(validates ? ['diagnostics'] : []), 'folding', 'selection', 'definition', 'rename'];
}

export async function keepSchemasAway(): Promise<void> {
  const yaml = extensions.getExtension<Partial<YamlApi> | undefined>(id);
  const api = await yaml?.activate();
  api?.registerContributor?.(
    'waza-lsp',
    // Asked at every check, before the server can have said anything: hence by a guess.
    (resource) => (isEval(resource) ? 'waza-lsp://schema/anything' : undefined),
    // Its title stands above the text.
    () => JSON.stringify({ title: 'Checked by waza-lsp' }),
  );
}

function isEval(resource: string): boolean {
  const uri = Uri.parse(resource).toString();
  return workspace.textDocuments.some((it) => it.uri.toString() === uri && looksLikeEval(it));
}
