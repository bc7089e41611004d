import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestServer } from "../../haft/test/support/console-server.ts";
import { calls, finish, type ScriptedModel, scriptedModel } from "../../haft/test/support/scripted-model.ts";

const GREET = `export function greet(name: string): string {\n  return "Hello " + name;\n}\n`;

const text = (key: string, value: string) => [
  { type: "part" as const, key, part: { type: "text" as const, text: value } },
];
const think = (key: string, value: string) => [
  { type: "part" as const, key, part: { type: "reasoning" as const, text: value } },
];
const usage = (inputTokens: number) => ({
  ...{ type: "finish" as const, reason: "calls" as const },
  usage: { inputTokens, outputTokens: 220 },
});

/** The models of the demo, by name. `more`: what the first one says besides. */
export const demoModels = (more = "") => {
  const models: Readonly<Record<string, ScriptedModel>> = {
    "demo/work": workModel(),
    "demo/canvas": canvasModel(),
    "demo/ask-site": askingModel(),
    "demo/ask-shop": askingModel(),
  };
  const main = greetingModel(more);
  return (name: string): ScriptedModel => models[name] ?? main;
};

/** A model that does a small piece of work, and ends with a question. */
function greetingModel(more: string): ScriptedModel {
  return scriptedModel([
    [
      ...think("r1", "The greeting is built in one place. I look at it and at its users first."),
      ...text("t1", "I look at the code first."),
      calls("c1", "Glob", { pattern: "src/**/*.ts" }),
      calls("c2", "Read", { file_path: "src/greet.ts" }),
      calls("c3", "Grep", { pattern: "greet", output_mode: "content" }),
      usage(4_100),
    ],
    [
      ...text("t2", "`greet` glues strings together. I use a template, and trim the name."),
      calls("c4", "Edit", {
        file_path: "src/greet.ts",
        old_string: 'return "Hello " + name;',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
        new_string: "return `Hello, ${name.trim()}!`;",
      }),
      calls("c5", "TodoWrite", {
        todos: [
          { content: "Change the greeting", status: "completed", activeForm: "Changing the greeting" },
          { content: "Describe it in the README", status: "in_progress", activeForm: "Describing it" },
          { content: "Run the tests", status: "pending", activeForm: "Running the tests" },
        ],
      }),
      usage(5_800),
    ],
    [
      ...text(
        "t3",
        `The change is in place:\n\n| input | before | now |\n|---|---|---|\n| \`Ann\` | Hello Ann | **Hello, Ann!** |\n\nNow the README. ${more}`,
      ),
      calls("c6", "Write", {
        file_path: "README.md",
        content: "# Greetings\n\nCall `greet(name)`; it trims the name.\n\n- one function\n- no dependency\n",
      }),
      usage(6_400),
    ],
    [...text("t4", "Done: the greeting is polite, and the README describes it."), finish("stop")],
  ]);
}

const PRICES = `export const prices = { lantern: 12.5, candle: 3.2 };\n`;

/** A model that changes several files, asks an agent, and leaves a job behind. */
function workModel(): ScriptedModel {
  return scriptedModel([
    [calls("w1", "Read", { file_path: "src/prices.ts" }), usage(3_900)],
    [
      ...text("u1", "Prices become whole cents. First the list, then its users."),
      calls("w2", "Edit", {
        ...{ file_path: "src/prices.ts", old_string: "lantern: 12.5, candle: 3.2" },
        new_string: "lantern: 1250, candle: 320",
      }),
      usage(4_600),
    ],
    [
      calls("w3", "Agent", { description: "Look for users of the prices", prompt: "Which files read src/prices.ts?" }),
      usage(5_400),
    ],
    // The agent's own turns.
    [calls("w4", "Grep", { pattern: "prices", output_mode: "files_with_matches" }), usage(1_900)],
    [...text("u2", "Only `src/prices.ts` itself names them; nothing imports it yet."), finish("stop")],
    [
      calls("w5", "Write", {
        file_path: "src/format-price.ts",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
        content: "export const formatPrice = (cents: number) => `${(cents / 100).toFixed(2)} €`;\n",
      }),
      usage(6_800),
    ],
    [
      calls("w6", "Bash", {
        ...{ command: "tail -f /dev/null", description: "Watch the types", run_in_background: true },
      }),
      calls("w7", "Bash", { command: "ls src && rm src/main.ts", description: "Remove the old entry" }),
      usage(7_300),
    ],
    [...text("u3", "Prices are whole cents now, and `formatPrice` writes them with two digits."), finish("stop")],
  ]);
}

/** A model that shows a page. */
function canvasModel(): ScriptedModel {
  return scriptedModel([
    [calls("v0", "ToolSearch", { query: "select:canvas" }), usage(4_300)],
    [
      ...text("v1", "I draw the orders by day and list the two articles that sell best."),
      calls("v2", "canvas", { action: "present", title: "Orders of the week", html: REPORT }),
      usage(5_200),
    ],
    [...text("v3", "Thursday stands out: **41 orders**, most of them red lanterns."), finish("stop")],
  ]);
}

/** A session whose work is done: several changes, an agent and a job. */
export async function demoWork(server: TestServer): Promise<string> {
  server.write("src/prices.ts", PRICES);
  const { id } = await server.ask("POST", "/api/sessions", { model: "demo/work", mode: "bypassPermissions" });
  await server.ask("POST", `/api/sessions/${id}/prompt`, { text: "Keep prices in whole cents.", wait: true });
  return String(id);
}

/** Two sessions that ask for the same command. */
export async function demoQuestions(server: TestServer): Promise<void> {
  for (const folder of ["site", "shop"])
    await server.ask("POST", "/api/sessions", {
      model: `demo/ask-${folder}`,
      prompt: `Bring the ${folder} up to date.`,
    });
  const asked = async (): Promise<number> => {
    const { approvals } = await server.ask("GET", "/api/approvals");
    return (approvals as { request: { tool: string } }[]).filter(({ request }) => request.tool === "Bash").length;
  };
  while ((await asked()) < 2) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** A model that asks for a command. */
const askingModel = (): ScriptedModel =>
  scriptedModel([
    [
      ...text("q1", "The dependencies are old; I reinstall them."),
      calls("q2", "Bash", { command: "npm ci --ignore-scripts", description: "Install the dependencies" }),
      usage(3_100),
    ],
  ]);

/** A session that shows a page, once its prompt is sent. */
export async function demoCanvas(server: TestServer): Promise<string> {
  return String((await server.ask("POST", "/api/sessions", { model: "demo/canvas" })).id);
}

/** Fills the folder, starts the session, and returns when its question waits. */
export async function demoSession(server: TestServer): Promise<string> {
  mkdirSync(join(server.cwd, "src"), { recursive: true });
  server.write("src/greet.ts", GREET);
  server.write("src/main.ts", 'import { greet } from "./greet.ts";\n\nconsole.log(greet("Ann"));\n');
  const socket = await server.connect();
  const { id } = await server.ask("POST", "/api/sessions", {});
  socket.send({ type: "prompt", session: id, text: "Make the greeting polite, and describe it in the README." });
  await socket.next(({ type, item }) => {
    const { title = "" } = (item as { request?: { title?: string } } | undefined)?.request ?? {};
    return type === "asked" && title.includes("README");
  });
  await socket.close();
  return String(id);
}

/** Schedules with firings that ended well, and one whose question nobody answered. */
export function demoSchedules({ handle, cwd }: TestServer): void {
  const { store } = handle.parts.schedules!;
  const rights = { folder: cwd, mode: "default", grant: ["Edit(/reports/**)"], options: {} };
  const add = (expression: string, name: string, prompt: string) =>
    store.add({ expression, name, prompt, zone: "UTC" }, rights, Date.now());
  const nightly = add("0 3 * * *", "nightly", "Write a report about the tests of the day.");
  add("30 9 * * 1", "weekly", "List the dependencies that are behind.");
  const fired = (status: "completed" | "needs_you", open: readonly string[] = []): void => {
    store.runAt(nightly.id, Date.now());
    const [begun] = store.begin(Date.now(), 60_000);
    if (begun) store.end(begun.id, { status, text: "The report is written.", open }, Date.now());
  };
  fired("completed");
  fired("needs_you", ["Run npm install left-pad"]);
}

const REPORT = `<!doctype html><title>Orders</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; margin: 1.5rem; color: #1d1f1e; } h1 { font-size: 1.4rem; margin: 0; }
svg { width: 100%; height: auto; } rect { fill: #176b57; } text { font-size: 12px; fill: #444; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid #dcd8ce; }
button { font: inherit; padding: .4rem .9rem; margin-top: 1rem; }</style>
<h1>Orders of the week</h1><p>Lanterns sell best on Thursdays.</p>
<svg viewBox="0 0 320 130" role="img" aria-label="Orders by day">${[14, 22, 18, 41, 27, 33, 12]
  .map(
    (count, at) =>
      `<rect x="${at * 46 + 4}" y="${110 - count * 2.4}" width="34" height="${count * 2.4}" rx="3"/><text x="${at * 46 + 8}" y="126">${["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][at]}</text>`,
  )
  .join("")}</svg>
<table><tr><th>article<th>sold</tr><tr><td>Red lantern<td>97</tr><tr><td>Blue lantern<td>70</tr></table>
<button>Write report.csv</button>`;

/** Has the agent of such a session show its page. */
export async function demoPage(server: TestServer, session: string): Promise<void> {
  const text = "Show me the orders of the week.";
  await server.ask("POST", `/api/sessions/${session}/prompt`, { text, wait: true });
}
