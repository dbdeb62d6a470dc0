/**
 * Snippets for whole files, only in empty documents. VS Code would offer snippets of the manifest
 * everywhere, but inside an eval the server's completion is better.
 */

import {
  CompletionItem,
  CompletionItemKind,
  languages,
  SnippetString,
  Uri,
  workspace,
  type Disposable,
  type TextDocument,
} from 'vscode';

interface Snippet {
  prefix: string;
  description: string;
  body: string[];
}

/** A longer text is not empty. Large ones would be split at each key. */
const mostLines = 100;

type Snippets = Record<string, Snippet>;

async function readSnippets(extension: Uri): Promise<Snippets> {
  const source = await workspace.fs.readFile(Uri.joinPath(extension, 'snippets', 'waza.json'));
  return JSON.parse(new TextDecoder().decode(source)) as Snippets;
}

export function offerSnippets(extension: Uri): Disposable {
  return languages.registerCompletionItemProvider([{ pattern: '**/*.{yaml,yml}' }, { language: 'yaml' }], {
    async provideCompletionItems(document, position) {
      return isEmptyBut(document, position.line)
        ? Object.values(await readSnippets(extension)).map(completion)
        : [];
    },
  });
}

function isEmptyBut(document: TextDocument, line: number): boolean {
  if (document.lineCount > mostLines) {
    return false;
  }
  const lines = document.getText().split('\n');
  return lines.every((text, index) => index === line || /^\s*(#.*)?$/.test(text));
}

function completion({ prefix, description, body }: Snippet): CompletionItem {
  const item = new CompletionItem({ label: prefix, description }, CompletionItemKind.Snippet);
  item.insertText = new SnippetString(body.join('\n'));
  return item;
}
