/**
 * A story of four agents, without a model: a coordinator sends two explorers out side by side, then has a writer work within a budget.
 * The models are scripted; agents, rules, budgets and files are real. It ends well only if the budget held.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHaft } from "haft";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-agents-")));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const cwd = join(scratch, "work");
mkdirSync(join(cwd, "src"), { recursive: true });
mkdirSync(join(scratch, "home"));
writeFileSync(join(cwd, "src/sum.js"), "export const sum = (a, b) => a + b;\n");
writeFileSync(join(cwd, "src/max.js"), "export const max = (a, b) => (a > b ? a : b);\n");

const call = (id, tool, input) => ({ type: "part", key: id, part: { type: "tool-call", id, tool, input } });
const calls = (...list) => [
  ...list.map(([tool, input], index) => call(`c${index}`, tool, input)),
  { type: "finish", reason: "calls" },
];
const says = (text) => [
  { type: "part", key: "t", part: { type: "text", text } },
  { type: "finish", reason: "stop" },
];

/** The turns of each agent, by the first word of its prompt. */
const scripts = {
  Coordinate: [
    calls(
      ["Agent", { description: "look at sum", prompt: "Explore src/sum.js", subagent_type: "explore" }],
      ["Agent", { description: "look at max", prompt: "Explore src/max.js", subagent_type: "explore" }],
    ),
    calls([
      "Agent",
      {
        description: "write the docs",
        prompt: "Write the docs.",
        name: "writer",
        effects: ["read(src/**)", "write(docs/**)"],
        calls: 3,
      },
    ]),
    says("The functions are explored and described in docs/functions.md."),
  ],
  Explore: [
    (prompt) => calls(["Read", { file_path: prompt.split(" ")[1] }]),
    (prompt) => says(`${prompt.split(" ")[1]} exports one function.`),
  ],
  Write: [
    calls(
      ["Write", { file_path: "docs/functions.md", content: "# Functions\n\n- sum\n- max\n" }],
      ["Write", { file_path: "src/sum.js", content: "broken" }],
    ),
    calls(["Bash", { command: "rm -rf src" }]),
    calls(["Write", { file_path: "docs/more.md", content: "too much" }]),
  ],
};

const model = {
  name: "story/scripted",
  async *step({ messages, tools }) {
    const prompt = messages[0].content[0].text;
    const script = scripts[prompt.split(" ")[0]];
    const next =
      tools.length === 0
        ? says("I wrote docs/functions.md; my budget is spent.")
        : script[messages.filter(({ role }) => role === "assistant").length];
    yield* typeof next === "function" ? next(prompt) : next;
  },
};

const place = { cwd, home: join(scratch, "home"), stateDir: join(scratch, "state"), env: {}, settings: false };
const haft = await createHaft({ ...place, mode: "acceptEdits", model: model.name, openModel: () => model });
haft.on((event) => {
  const who = event.agent.path?.join(" › ") ?? "main";
  if (event.type === "tool:execution:complete") console.log(`${who}: ${event.title}`);
  if (event.type === "tool:execution:error")
    console.log(`${who}: ✗ ${event.label}: ${event.outcome.result.error.message.split("\n")[0]}`);
});
const report = await haft.agents.start({ type: "general", description: "the whole", prompt: "Coordinate the work." });
console.log(`\n${report.text}`);
for (const { id, type, status, calls: made } of haft.agents.list())
  console.log(`${id} ${type}: ${status}, ${made} calls`);
await haft[Symbol.asyncDispose]();

const writer = haft.agents.list().find(({ name }) => name === "writer");
const problems = [
  ...(readFileSync(join(cwd, "src/sum.js"), "utf8").includes("broken")
    ? ["a file outside of the budget was changed"]
    : []),
  ...(existsSync(join(cwd, "docs/functions.md")) ? [] : ["the docs were not written"]),
  ...(existsSync(join(cwd, "docs/more.md")) ? ["a call beyond the budget ran"] : []),
  ...(writer?.status === "failed" && writer.why?.includes("3 of 3")
    ? []
    : ["the writer was not stopped by its budget"]),
];
for (const problem of problems) console.error(`✗ ${problem}`);
if (problems.length === 0)
  console.log("\n✓ two explorers side by side · one writer within its budget · the call beyond it refused");
process.exitCode = problems.length === 0 ? 0 : 1;
