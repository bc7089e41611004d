/**
 * The program of the thread that interprets scripts, as text; see page/worker-script.ts for the reason. The interpreter is
 * QuickJS, compiled to WebAssembly: a script sees neither Node nor this thread. Time and chance are computed from the
 * start of a script, so that a repetition with the same answers takes the same course.
 *
 * It receives `{ run, code, now, seed }` and `{ answer, value | error }`, and sends `{ call, tool, input }` and
 * `{ end, output, value, error }`.
 */
export const WORKER_SCRIPT = `
const { parentPort, workerData } = require("node:worker_threads");
const { limits } = workerData;

const opened = Promise.all(workerData.modules.map((module) => import(module))).then(async ([core, variant]) => {
  const wasm = await core.newQuickJSWASMModuleFromVariant(variant.default);
  const runtime = wasm.newRuntime();
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setMaxStackSize(512 * 1024);
  runtime.setInterruptHandler(() => busySince !== undefined && spent + performance.now() - busySince > limits.cpuMs);
  const context = runtime.newContext();
  prepare(context);
  return { runtime, context };
});

let busySince;
let spent = 0;
let output = "";
let isCut = false;
let calls = 0;
const open = new Map();

/** Lets the interpreter run, and counts the time that it takes. */
function busy(work) {
  busySince = performance.now();
  try {
    return work();
  } finally {
    spent += performance.now() - busySince;
    busySince = undefined;
  }
}

function drain({ runtime, context }) {
  const done = busy(() => runtime.executePendingJobs());
  if (done.error) done.error.dispose();
  return context;
}

function print(text) {
  if (isCut) return;
  output += text + "\\n";
  if (output.length <= limits.outputChars) return;
  output = output.slice(0, limits.outputChars) + "\\n[further output was cut]\\n";
  isCut = true;
}

const PRELUDE = \`(function (call, print) {
  "use strict";
  const show = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return value.name + ": " + value.message;
    try {
      const text = JSON.stringify(value, (key, one) => (typeof one === "bigint" ? String(one) : one), 2);
      return text === undefined ? String(value) : text;
    } catch (error) {
      return String(value);
    }
  };
  const log = (...values) => print(values.map(show).join(" "));
  globalThis.console = Object.freeze({ log, info: log, warn: log, error: log, debug: log });
  class ToolError extends Error {}
  const revive = (json) => {
    const { value, error } = JSON.parse(json);
    if (!error) return value;
    const thrown = new ToolError(error.message);
    thrown.name = error.name;
    throw thrown;
  };
  const toolOf = (name) => (input) => call(name, JSON.stringify(input === undefined ? {} : input)).then(revive);
  globalThis.tools = new Proxy(Object.create(null), {
    get: (_, name) => (typeof name === "string" && name !== "then" ? toolOf(name) : undefined),
    set: () => false,
  });
  let now = 0;
  let state = 1;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  Math.random = random;
  const Real = Date;
  const Fixed = function Date(...given) {
    if (!new.target) return new Real(now).toString();
    return given.length === 0 ? new Real(now) : new Real(...given);
  };
  Fixed.prototype = Real.prototype;
  Fixed.prototype.constructor = Fixed;
  Fixed.UTC = Real.UTC;
  Fixed.parse = Real.parse;
  Fixed.now = () => now;
  globalThis.Date = Fixed;
  return { show, begin(at, seed) { now = at; state = seed | 0; } };
})\`;

let helpers;

function prepare(context) {
  const call = context.newFunction("call", (tool, input) => {
    const id = ++calls;
    const promise = context.newPromise();
    open.set(id, promise);
    if (open.size > limits.openCalls) {
      open.delete(id);
      promise.reject(context.newError("More than " + limits.openCalls + " calls at once."));
      return promise.handle;
    }
    parentPort.postMessage({ call: id, tool: context.getString(tool), input: JSON.parse(context.getString(input)) });
    return promise.handle;
  });
  const say = context.newFunction("print", (text) => print(context.getString(text)));
  const prelude = context.unwrapResult(context.evalCode(PRELUDE, "haft"));
  helpers = context.unwrapResult(context.callFunction(prelude, context.undefined, call, say));
}

const textOf = (context, handle) => {
  if (context.typeof(handle) === "undefined") return undefined;
  const show = context.getProp(helpers, "show");
  const shown = context.callFunction(show, context.undefined, handle);
  show.dispose();
  if (shown.error) {
    shown.error.dispose();
    return undefined;
  }
  const text = context.getString(shown.value);
  shown.value.dispose();
  return text.length > limits.outputChars ? text.slice(0, limits.outputChars) + " [cut]" : text;
};

function errorOf(context, handle) {
  const thrown = context.dump(handle);
  if (typeof thrown !== "object" || thrown === null) return { name: "Error", message: String(thrown) };
  const { name = "Error", message = "", stack } = thrown;
  return { name: String(name), message: String(message), ...(stack ? { stack: String(stack).slice(0, 2000) } : {}) };
}

async function run({ code, now, seed }) {
  const machine = await opened;
  const { context } = machine;
  spent = 0;
  output = "";
  isCut = false;
  calls = 0;
  const begin = context.getProp(helpers, "begin");
  const [at, from] = [context.newNumber(now), context.newNumber(seed)];
  context.unwrapResult(context.callFunction(begin, context.undefined, at, from)).dispose();
  for (const one of [begin, at, from]) one.dispose();
  // 128 is JS_EVAL_FLAG_ASYNC: a script may await.
  const started = busy(() => context.evalCode(code, "script.js", 128));
  if (started.error) return { error: errorOf(context, started.error) };
  const ended = context.resolvePromise(started.value);
  started.value.dispose();
  drain(machine);
  const result = await ended;
  if (result.error) return { error: errorOf(context, result.error) };
  const value = context.getProp(result.value, "value");
  result.value.dispose();
  const text = textOf(context, value);
  value.dispose();
  return text === undefined ? {} : { value: text };
}

async function answer({ answer: id, ...said }) {
  const machine = await opened;
  const promise = open.get(id);
  if (!promise) return;
  open.delete(id);
  const text = machine.context.newString(JSON.stringify(said));
  promise.resolve(text);
  text.dispose();
  promise.dispose();
  drain(machine);
}

parentPort.on("message", (said) => {
  if ("answer" in said) return void answer(said);
  run(said).then(
    (end) => parentPort.postMessage({ end: said.run, output, ...end }),
    (thrown) => parentPort.postMessage({ end: said.run, output, error: { name: "Error", message: String(thrown && thrown.message) } }),
  );
});
opened.then(() => parentPort.postMessage({ ready: true }), (thrown) => parentPort.postMessage({ broken: String(thrown) }));
`;
