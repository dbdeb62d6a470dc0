/** The outline of a document: its symbols, as the outline panel lists them. */

import type { DocumentSymbol } from 'vscode-languageserver-types';

import type { OpenFile } from '../editor/documents.ts';
import type { LanguageServer } from './server.ts';

export async function outlineOf(server: LanguageServer, file: OpenFile): Promise<DocumentSymbol[]> {
  const found = await server.request<DocumentSymbol[] | null>('textDocument/documentSymbol', { textDocument: { uri: file.uri } });
  return found ?? [];
}
