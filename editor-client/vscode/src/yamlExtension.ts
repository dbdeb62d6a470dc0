/**
 * Coexistence with Red Hat's YAML extension, which claims the same files.
 *
 * That extension guesses schemas from file names and treats `tasks/*.yaml` as Ansible. We give it a
 * schema for eval files that allows everything, and leave general YAML features to it.
 */

import { extensions, Uri, workspace } from 'vscode';

import { looksLikeEval } from './documents';

const id = 'redhat.vscode-yaml';

/** The part of its public API that this extension uses. */
interface YamlApi {
  registerContributor(
    scheme: string,
    requestSchema: (resource: string) => string | undefined,
    requestSchemaContent: (uri: string) => string,
  ): boolean;
}

/** Features that the server can leave out: values of its setting `waza.beside`. */
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
    // Called at every check, before the server has responded, so it has to guess.
    (resource) => (isEval(resource) ? 'waza-lsp://schema/anything' : undefined),
    // Its title appears above the text.
    () => JSON.stringify({ title: 'Checked by waza-lsp' }),
  );
}

function isEval(resource: string): boolean {
  const uri = Uri.parse(resource).toString();
  return workspace.textDocuments.some((it) => it.uri.toString() === uri && looksLikeEval(it));
}
