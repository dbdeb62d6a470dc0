// The part of VS Code that the Testing view uses, for Node. What is shown is recorded in `shown`.

const shown = [];

class Plain {
  constructor(...values) {
    this.values = values;
  }
}

class Items extends Map {
  add(item) {
    this.set(item.id, item);
  }
}

const testRun = {
  appendOutput() {},
  end() {},
  ...Object.fromEntries(
    ['passed', 'failed', 'errored', 'skipped'].map((status) => [
      status,
      (item, messages) =>
        shown.push([status, item.label, ...(Array.isArray(messages) ? messages.map((it) => it.message) : [])]),
    ]),
  ),
};

exports.shown = shown;
exports.controller = {
  items: new Items(),
  createTestItem: (id, label, uri) => ({ id, label, uri, children: new Items() }),
  createTestRun: () => testRun,
  invalidateTestResults: (item) => shown.push(['out of date', item.label]),
};
exports.Location = exports.Position = exports.Range = exports.TestRunRequest = exports.TestTag = Plain;
exports.TestMessage = class {
  constructor(message) {
    this.message = message;
  }
};
exports.commands = { getCommands: async () => [] };
exports.window = {};
exports.Uri = { parse: (text) => text };
