/** What the page can do, as `initialize` says it. Without `textDocument.diagnostic`, the server pushes its findings. */

export const CAPABILITIES = {
  general: { markdown: { parser: 'marked' }, positionEncodings: ['utf-16'] },
  workspace: {
    applyEdit: true,
    workspaceEdit: { documentChanges: true, resourceOperations: ['create'] },
    codeLens: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
  },
  window: { workDoneProgress: true, showMessage: {} },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true, codeDescriptionSupport: true, tagSupport: { valueSet: [1, 2] } },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    completion: {
      contextSupport: true,
      completionItem: { snippetSupport: true, documentationFormat: ['markdown', 'plaintext'], insertReplaceSupport: false },
      completionList: { itemDefaults: ['commitCharacters', 'editRange', 'insertTextFormat'] },
    },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor', 'source'] } } },
    codeLens: {},
    inlayHint: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    formatting: {},
    definition: {},
    references: {},
    rename: { prepareSupport: true },
  },
} as const;
