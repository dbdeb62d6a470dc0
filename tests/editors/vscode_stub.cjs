// The part of VS Code that the search for a server and its installation use, for Node. `scene` comes from the test.

const scene = JSON.parse(process.env.SCENE);

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
  cancel() {}
}

module.exports = {
  CancellationError: class extends Error {},
  CancellationTokenSource,
  ProgressLocation: { Notification: 15 },
  extensions: {
    getExtension: () =>
      scene.selected && {
        activate: async () => ({
          environments: {
            getActiveEnvironmentPath: () => ({ path: 'python' }),
            resolveEnvironment: async () => ({ executable: { sysPrefix: scene.selected } }),
          },
        }),
      },
  },
  window: { withProgress: (_, work) => work({ report() {} }, new CancellationTokenSource().token) },
  workspace: {
    isTrusted: scene.trusted,
    workspaceFolders: [{ uri: { fsPath: scene.folder } }],
    getConfiguration: () => ({ get: (name, otherwise) => scene.settings[name] ?? otherwise }),
  },
};
