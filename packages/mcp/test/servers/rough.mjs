// Servers that are not kind: `node rough.mjs KIND [ARG]`. Written by hand, because no SDK would do such things.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [kind, arg] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tool = (name, more = {}) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object" },
  ...more,
});
const said = (text) => ({ content: [{ type: "text", text }] });
const many = () => Array.from({ length: Number(arg ?? 10_000) }, (_, index) => tool(`tool_${index}`));

const lists = {
  many: () => many(),
  version: () => [tool("deploy", JSON.parse(readFileSync(arg, "utf8"))), tool("steady")],
  names: () => [
    tool("plain"),
    tool("plain", { description: "again" }),
    tool("dots.and/slashes"),
    tool("dots_and/slashes"),
    tool("x".repeat(120)),
    tool("y".repeat(300)),
    tool("hid\u{e0041}den"),
    tool(""),
    "not a tool",
    tool("Bash"),
    tool("painted", {
      description: `red\u001b[31m and ${String.fromCodePoint(...[..."evil"].map((c) => 0xe0000 + c.charCodeAt(0)))}\u202eunseen`,
    }),
    tool("wordy", { description: "w".repeat(100_000) }),
  ],
  schemas: () => [
    tool("fine", { inputSchema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } }),
    tool("none", { inputSchema: undefined }),
    tool("remote", {
      inputSchema: {
        type: "object",
        properties: { a: { $ref: "http://evil.example/schema.json" }, b: { type: "number" } },
      },
    }),
    tool("dangling", { inputSchema: { type: "object", properties: { a: { $ref: "#/$defs/nowhere" } } } }),
    tool("cyclic", { inputSchema: { type: "object", properties: { a: { $ref: "#" } } } }),
    tool("typo", {
      inputSchema: { type: "object", properties: { a: { type: "strin" }, b: { type: "string", pattern: "(" } } },
    }),
    tool("list", { inputSchema: { type: "array", items: {} } }),
    tool("text", { inputSchema: "type: object" }),
    tool("hidden", {
      inputSchema: { type: "object", properties: { a: { type: "string", description: "ok\u{e0041}\u{e0042}" } } },
    }),
  ],
  endlessSchemas: () => {
    const pattern = "^(a+)+$";
    const text = { type: "string", pattern };
    const of = (schema) => ({ inputSchema: { type: "object", ...schema } });
    // Each part leads to the next one twice: written out, there would be more of them than anybody can count.
    const doubled = (keyword) =>
      Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [
          `p${index}`,
          index === 59 ? { type: "object" } : { [keyword]: Array(2).fill({ $ref: `#/$defs/p${index + 1}` }) },
        ]),
      );
    return [
      tool("pattern", of({ properties: { path: text }, required: ["path"] })),
      tool("names", of({ propertyNames: { pattern } })),
      tool("properties", of({ patternProperties: { [pattern]: {} }, additionalProperties: false })),
      tool("not", of({ properties: { path: { not: text } } })),
      tool("allOf", of({ allOf: [{ $ref: "#/$defs/p0" }], $defs: doubled("allOf") })),
      tool("anyOf", { inputSchema: { anyOf: [{ $ref: "#/$defs/p0" }], $defs: doubled("anyOf") } }),
      tool("output", { ...of({}), outputSchema: { type: "object", properties: { path: text } } }),
    ];
  },
  huge: () => [tool("huge"), tool("small")],
  crash: () => [tool("crash"), tool("echo")],
  storm: () => [tool("count")],
  flaky: () => [tool("pid")],
  named: () => [tool(arg)],
  hurried: () => [tool("hurry")],
  broken: () => [...Object.keys(broken), ...Object.keys(raw), "sound"].map((name) => tool(name)),
};

/** Answers that are none. */
const broken = {
  nothing: {},
  both: { result: said("a"), error: { code: 1, message: "b" } },
  list: { result: [1] },
  word: { error: "kaputt" },
  wordless: { error: { code: -1 } },
  null: { result: { content: null } },
  unknown: { result: { content: [{ type: "hologram" }, { type: "text" }] } },
};

/** Two calls, and an answer to neither of them before theirs. */
const held = [];
const strangers = (ids) =>
  [9_999, ...ids].map((id) => `${JSON.stringify({ jsonrpc: "2.0", id, result: said("pair") })}\n`).join("");

/** Lines that are not what they should be. */
const raw = {
  marked: (id) => `\u{feff}${JSON.stringify({ jsonrpc: "2.0", id, result: said("marked") })}\n`,
  batch: (id) =>
    `${JSON.stringify([{ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "first" } }, 7, { jsonrpc: "2.0", id, result: said("batch") }])}\n`,
  versionless: (id) => `${JSON.stringify({ id, result: said("versionless") })}\n`,
  textual: (id) => `${JSON.stringify({ jsonrpc: "2.0", id: String(id), result: said("textual") })}\n`,
  "textual-word": (id) => `${JSON.stringify({ jsonrpc: "2.0", id: String(id), result: "kaputt" })}\n`,
  "no-id": () => `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "kaputt" } })}\n`,
  named: () => `${JSON.stringify({ jsonrpc: "2.0", id: "mine", result: said("named") })}\n`,
  // An answer to a request of before comes first.
  late: (id) =>
    [id - 1, id].map((of) => `${JSON.stringify({ jsonrpc: "2.0", id: of, result: said("late") })}\n`).join(""),
  pair: (id) => (held.push(id) < 2 ? "" : strangers(held.splice(0))),
  stranger: (id) => `${JSON.stringify({ jsonrpc: "2.0", id: id + 1000, result: said("stranger") })}\n`,
};

/** Progress and the answer in one write. */
const hurry = (id, { _meta, arguments: { steps = 1 } = {} }) =>
  [
    ...Array.from({ length: steps }, (_, at) => ({
      method: "notifications/progress",
      params: { progressToken: _meta?.progressToken, progress: at + 1, total: steps, message: `step ${at + 1}` },
    })),
    { id, result: said("done") },
  ]
    .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    .join("");

const calls = {
  crash: ({ name, arguments: input }) => {
    if (name === "echo") return said(String(input?.text ?? "still here"));
    process.stderr.write("out of cheese\nredo from start\n");
    process.exit(3);
  },
  huge: ({ name, arguments: input }) => said(name === "small" ? "small" : "h".repeat(input.megabytes * 1_000_000)),
  flaky: () => said(String(process.pid)),
  version: () => said("deployed"),
  many: ({ name }) => said(name),
  names: ({ name }) => said(name),
  schemas: ({ arguments: input }) => said(JSON.stringify(input)),
  endlessSchemas: ({ arguments: input }) => ({ ...said(JSON.stringify(input)), structuredContent: input }),
  storm: () => said(String(listed)),
  stubborn: () => said("never"),
};

let listed = 0;
const page = 1_000;

function answer({ id, method, params }) {
  if (method === "notifications/cancelled") process.stderr.write("cancelled\n");
  if (kind === "hang" || method === "resources/read" || method === "prompts/list" || id === undefined) return;
  if (kind === "strict" && method !== "initialize" && !listed) process.exit(1);
  if (method === "initialize") {
    const tools = { listChanged: kind === "storm" || kind === "version" };
    const capabilities = { tools, ...(kind === "deaf" ? { resources: {}, prompts: {} } : {}) };
    const { protocolVersion } = params;
    listed = 1;
    return send({ id, result: { protocolVersion, capabilities, serverInfo: { name: kind, version: "1" } } });
  }
  if (method === "tools/list") {
    listed += 1;
    if (kind === "crash-at-list") {
      process.stderr.write("my database is gone\n");
      process.exit(4);
    }
    // Deeper than any program can write it out by recursion.
    if (kind === "deep") {
      const schema = `${'{"type":"object","properties":{"a":'.repeat(20_000)}{}${"}}".repeat(20_000)}`;
      const deep = `{"name":"deep","inputSchema":${schema}}`;
      const [flat] = [JSON.stringify(tool("flat"))];
      return process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[${deep},${flat}]}}\n`);
    }
    const all = (lists[kind] ?? (() => [tool("only")]))();
    const from = Number(params?.cursor ?? 0);
    const nextCursor = kind === "endless" ? String(listed) : from + page < all.length ? String(from + page) : undefined;
    return send({ id, result: { tools: all.slice(from, from + page), nextCursor } });
  }
  if (method === "tools/call" && kind === "broken" && raw[params.name])
    return process.stdout.write(raw[params.name](id));
  if (method === "tools/call" && kind === "hurried") return process.stdout.write(hurry(id, params));
  if (method === "tools/call" && kind === "broken" && broken[params.name]) return send({ id, ...broken[params.name] });
  if (method === "tools/call") {
    const result = (calls[kind] ?? (() => said("ok")))(params);
    return result && send({ id, result });
  }
  send({ id, error: { code: -32601, message: "no such method" } });
}

if (kind === "crash-at-start") {
  process.stderr.write("cannot find my config\n");
  process.exit(7);
}
if (kind === "garbage") {
  process.stdout.write("Welcome to the server!\n\u001b[32m[info]\u001b[0m ready\n{not json}\n[1,2]\n\n");
  setInterval(() => process.stdout.write("tick tock\n"), 5).unref();
}
if (kind === "storm") setInterval(() => send({ method: "notifications/tools/list_changed" }), 1).unref();
if (kind === "version") process.on("SIGUSR2", () => send({ method: "notifications/tools/list_changed" }));
if (kind === "stubborn") {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
  const idle = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  // The second has left the process group, with a session of its own and no environment by which it could be known.
  const children = [{}, { detached: true, env: {} }].map((more) =>
    spawn(process.execPath, ["-e", idle], { stdio: "ignore", ...more }),
  );
  // The third has lost its parent, too.
  const script = 'setsid "$0" -e "$1" >/dev/null 2>&1 & echo $!';
  const orphan = spawnSync("sh", ["-c", script, process.execPath, idle], { encoding: "utf8" }).stdout.trim();
  process.stderr.write(`family ${[process, ...children].map(({ pid }) => pid).join(" ")} ${orphan}\n`);
  setInterval(() => {}, 1000);
}
createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line)));
