/**
 * Tools and instructions from every origin, without a model: a skill, a tool file, a program that lists its tools, an MCP
 * server, a plugin, and a tool under the name of another model family. Each is written to a scratch project and used once.
 * It ends well only if all of them work.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHaft } from "haft";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-extend-")));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const put = (path, text) => {
  mkdirSync(dirname(join(scratch, path)), { recursive: true });
  writeFileSync(join(scratch, path), text);
};
mkdirSync(join(scratch, "home"));

put(
  "work/.haft/skills/greet/SKILL.md",
  "---\nname: greet\ndescription: Greets somebody.\n---\nGreet $ARGUMENTS. Today's files: !`ls`\n",
);
put(
  "work/.haft/tools/shout.js",
  `export default {
  name: "shout",
  description: "Says it loud.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  can: [],
  effects: () => [],
  run: ({ text }) => text.toUpperCase(),
};
`,
);
put("work/list.mjs", 'console.log(JSON.stringify([{ name: "add", description: "Adds two numbers." }]));\n');
put(
  "work/call.mjs",
  'let text = "";\nfor await (const chunk of process.stdin) text += chunk;\nconst { a, b } = JSON.parse(text);\nconsole.log(a + b);\n',
);
put("work/notes.txt", "one\n");
put(
  "work/server.mjs",
  `import { createInterface } from "node:readline";
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "clock", version: "1" } },
  "tools/list": { tools: [{ name: "hour", description: "Tells the hour.", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "twelve" }] },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  const result = results[method];
  const answer = result ? { result } : { error: { code: -32601, message: "unknown" } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}
`,
);

const asked = [];
await using haft = await createHaft({
  cwd: join(scratch, "work"),
  home: join(scratch, "home"),
  stateDir: join(scratch, "state"),
  env: {},
  trusted: true,
  settings: {
    discovery: { command: [process.execPath, "list.mjs"], callCommand: [process.execPath, "call.mjs"] },
    mcpServers: { clock: { command: process.execPath, args: ["server.mjs"] } },
    dialect: "gemini",
  },
  ask: async ({ tool }) => {
    asked.push(tool);
    return { behavior: "allow" };
  },
});

const show = (what, result) => {
  const text = result.content.map((part) => part.text).join("");
  console.log(`${result.error ? "✗" : "✓"} ${what}: ${text.trim().split("\n").at(-1)}`);
  if (result.error) process.exitCode = 1;
};
show("a skill, with the output of its command", await haft.call("Skill", { skill: "greet", args: "Ada" }));
show("a tool file", await haft.call("shout", { text: "hello" }));
await haft.offer();
show("a discovered tool", await haft.call("add", { a: 2, b: 3 }));
await haft.mcp.settled();
show("a tool of an MCP server", await haft.call("mcp__clock__hour", {}));
show("a tool under Gemini's name", await haft.call("read_file", { file_path: join(scratch, "work/notes.txt") }));
const offered = (await haft.offer()).tools.map(({ name }) => name);
console.log(`${offered.includes("read_file") && !offered.includes("Read") ? "✓" : "✗"} Gemini's names in the offer`);
console.log(`  asked about: ${asked.join(", ")}`);

// A plugin is installed by the command, which first shows what it may do and rehearses it.
const own = import.meta.resolve("haft").endsWith(".ts") ? "src/cli/main.ts" : "bin/haft.mjs";
const haftCommand = (...args) =>
  spawnSync(
    process.execPath,
    [
      "--conditions=haft-source",
      "--no-warnings",
      fileURLToPath(new URL(`../../packages/haft/${own}`, import.meta.url)),
      ...args,
    ],
    { encoding: "utf8", env: { ...process.env, HAFT_STATE_DIR: join(scratch, "plugins") } },
  );
const plugin = fileURLToPath(new URL("plugin", import.meta.url));
const added = haftCommand("plugin", "add", plugin, "--yes", "--unconfined");
console.log(added.stdout.trimEnd().replaceAll(/^/gm, "  "));
const counted = haftCommand(
  "call",
  "count_words",
  '{"text": "one two three"}',
  "--allow",
  "count_words",
  "--cwd",
  join(scratch, "work"),
);
console.log(`${counted.stdout.trim() === "3" ? "✓" : "✗"} a plugin's tool: ${counted.stdout.trim()}${counted.stderr}`);
if (counted.stdout.trim() !== "3") process.exitCode = 1;
