// The part of the Python extension's API that ours uses. Its command selects the environment beside the workspace's folder.

const path = require('node:path');
const { EventEmitter, commands, workspace } = require('vscode');

exports.activate = ({ subscriptions }) => {
  const changed = new EventEmitter();
  let selected = '';
  subscriptions.push(
    commands.registerCommand('standIn.select', () => {
      selected = path.join(path.dirname(workspace.workspaceFolders[0].uri.fsPath), 'environment');
      changed.fire({});
    }),
  );
  return {
    environments: {
      getActiveEnvironmentPath: () => ({ path: selected }),
      resolveEnvironment: async ({ path: it }) => it && { executable: { sysPrefix: it } },
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};
