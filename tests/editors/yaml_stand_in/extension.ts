/**
 * What Red Hat's YAML extension does, as far as it matters beside ours: it starts the same
 * yaml-language-server for the same documents, and asks contributors of schemas.
 */

import { LanguageClient } from 'vscode-languageclient/node';

type Contributor = {
  requestSchema: (resource: string) => string | undefined;
  requestSchemaContent: (uri: string) => string;
};

export async function activate(): Promise<object> {
  const contributors = new Map<string, Contributor>();
  const client = new LanguageClient(
    'yaml',
    'YAML stand-in',
    { command: 'node', args: [process.env['WAZA_TEST_YAML_SERVER'] ?? '', '--stdio'] },
    {
      documentSelector: [{ language: 'yaml' }, { language: 'ansible' }],
      synchronize: { configurationSection: ['yaml'] },
    },
  );
  client.onRequest('custom/schema/request', (resource: string) =>
    [...contributors.values()].map((it) => it.requestSchema(resource)).filter(Boolean),
  );
  client.onRequest('custom/schema/content', (uri: string) =>
    contributors.get(uri.split(':')[0] ?? '')?.requestSchemaContent(uri),
  );
  await client.start();
  await client.sendNotification('yaml/registerCustomSchemaRequest');
  return {
    registerContributor(
      scheme: string,
      requestSchema: Contributor['requestSchema'],
      requestSchemaContent: Contributor['requestSchemaContent'],
    ): boolean {
      contributors.set(scheme, { requestSchema, requestSchemaContent });
      return true;
    },
  };
}
