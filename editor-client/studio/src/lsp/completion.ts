/** Completion, with the documentation that the server gives of an item once it is chosen in the list. */

import { autocompletion, type Completion, type CompletionContext, type CompletionResult, insertCompletionText, snippet } from '@codemirror/autocomplete';
import { LSPPlugin } from '@codemirror/lsp-client';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { CompletionItem, CompletionList } from 'vscode-languageserver-types';

import { newTextOf, snippetOf, startOf } from '../logic/completionItems.ts';
import { offsetOf } from '../logic/textEdits.ts';
import type { LanguageServer } from './server.ts';

const WORD = /[\w-]/;

export function completion(server: () => LanguageServer): Extension {
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const plugin = context.view ? LSPPlugin.get(context.view) : null;
    const typed = context.state.sliceDoc(context.pos - 1, context.pos);
    const triggers: string[] = server().client.serverCapabilities?.completionProvider?.triggerCharacters ?? [];
    const isTrigger = triggers.includes(typed);
    if (plugin === null || !(context.explicit || isTrigger || WORD.test(typed))) {
      return null;
    }
    const found = await server().request<CompletionItem[] | CompletionList | null>('textDocument/completion', {
      textDocument: { uri: plugin.uri },
      position: plugin.toPosition(context.pos),
      context: isTrigger && !context.explicit ? { triggerKind: 2, triggerCharacter: typed } : { triggerKind: 1 },
    });
    const items = Array.isArray(found) ? found : (found?.items ?? []);
    const isWhole = Array.isArray(found) || found?.isIncomplete === false;
    if (items.length === 0 || context.aborted) {
      return null;
    }
    const start = startOf(items);
    const from = start === null ? (context.matchBefore(/[\w-]+/)?.from ?? context.pos) : offsetOf(context.state.doc, start);
    const options = items.map((it) => optionOf(it, () => documentationOf(server(), plugin, it)));
    return { from, options, ...(isWhole && { validFor: /^["']?[\w./ -]*$/ }) };
  };
  return autocompletion({ override: [source], icons: false });
}

function optionOf(item: CompletionItem, info: () => Promise<Node | null>): Completion {
  const text = newTextOf(item);
  return {
    label: item.filterText ?? item.label,
    displayLabel: item.label,
    ...(item.detail !== undefined && { detail: item.detail }),
    ...(item.sortText !== undefined && { sortText: item.sortText }),
    ...(item.preselect === true && { boost: 99 }),
    info,
    apply(view: EditorView, option: Completion, from: number, to: number) {
      if (item.insertTextFormat === 2) {
        snippet(snippetOf(text))(view, option, from, to);
      } else {
        view.dispatch({ ...insertCompletionText(view.state, text, from, to), scrollIntoView: true });
      }
    },
  };
}

async function documentationOf(server: LanguageServer, plugin: LSPPlugin, item: CompletionItem): Promise<Node | null> {
  const { documentation } = await server.request<CompletionItem>('completionItem/resolve', item).catch(() => item);
  if (documentation === undefined) {
    return null;
  }
  const whole = document.createElement('div');
  whole.className = 'cm-lsp-documentation';
  whole.innerHTML = plugin.docToHTML(documentation);
  return whole;
}
