// Stands for chat: calls tools of the extension under test, and writes their answers into the workspace.
const vscode = require('vscode');

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand('chatStandIn.call', async () => {
      const call = async (name, input) => {
        try {
          const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
          return content.map(({ value }) => value).join('');
        } catch (error) {
          return `refused: ${error.message}`;
        }
      };
      const answers = {
        names: vscode.lm.tools.map(({ name }) => name).filter((it) => it.startsWith('waza_')),
        check: await call('waza_check', { paths: ['tasks'] }),
        outside: await call('waza_check', { paths: ['../../etc'] }),
      };
      const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'answers.json');
      await vscode.workspace.fs.writeFile(file, Buffer.from(JSON.stringify(answers)));
    }),
  );
};
