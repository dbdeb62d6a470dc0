// The child interpreter for JavaScript assertions: one fresh pair of contexts per request, as waza's script has it.
//
// Runs as `node -e SOURCE`. Frames on stdin and stdout are four bytes of length (big-endian) and JSON.
// waza hands the intrinsics of its own realm (Array, Object, ...) to the assertions. Here they come from a second
// context of the request, so that an assertion that changes them changes nothing for the next grader.
//
// The boundary is the wall of the kernel around this process. Besides, `import()` gives assertions a promise of this
// realm; the interpreter is started so that this realm makes no code from strings and cannot be changed. The answer
// proves itself with a secret that only the variables of this file hold.
"use strict";

const { readSync, writeSync } = require("node:fs");
const vm = require("node:vm");

const OUTER_REALM = `(json) => {
  const data = JSON.parse(json);
  return Object.assign({}, data, {
    Array, Object, String, Number, Boolean, Math, JSON, RegExp, parseInt, parseFloat, isNaN, isFinite,
    undefined, NaN, Infinity, True: true, False: false,
  });
}`;

let rejected = false;
process.on("unhandledRejection", () => {
  rejected = true;
});

function outcome(expression, context, milliseconds) {
  try {
    return [vm.runInContext(expression, context, { timeout: milliseconds }) ? "pass" : "fail", ""];
  } catch (thrown) {
    return ["error", String(thrown)];
  }
}

function perform({ assertions, names, milliseconds }) {
  // An object without prototype: nothing of this process's realm is to be reached from it.
  const outer = vm.createContext(Object.create(null));
  const sandbox = vm.runInContext(OUTER_REALM, outer)(JSON.stringify(names));
  const context = vm.createContext(sandbox);
  return assertions.map((it) => outcome(it, context, milliseconds));
}

function answerTo(request) {
  try {
    return { results: perform(request) };
  } catch (thrown) {
    return { error: "a thrown value that cannot be printed" };
  }
}

function read(length) {
  const data = Buffer.alloc(length);
  for (let have = 0; have < length; ) {
    const count = readSync(0, data, have, length - have);
    if (count === 0) process.exit(0);
    have += count;
  }
  return data;
}

function write(data) {
  for (let sent = 0; sent < data.length; ) sent += writeSync(1, data, sent);
}

function serve() {
  rejected = false;
  const { secret, ...request } = JSON.parse(read(read(4).readUInt32BE(0)).toString("utf8"));
  const answer = answerTo(request);
  // Rejections are reported after the microtasks: wait for them before answering.
  setImmediate(() => {
    const result = rejected ? { error: "an unhandled promise rejection" } : answer;
    const body = Buffer.from(JSON.stringify({ ...result, secret }));
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    write(Buffer.concat([head, body]));
    setImmediate(serve);
  });
}

serve();
