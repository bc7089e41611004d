import type { Schema } from "@haft/core/schema";
import {
  type Content,
  contentText,
  defineTool,
  errorText,
  HaftError,
  type Result,
  type ScriptAnswer,
  type ScriptEnd,
  state,
  text,
} from "@haft/core/tool";
import { signatureOf } from "../support/script/signature.ts";
import { portOf } from "../support/session/needs.ts";

const input = {
  type: "object",
  properties: {
    code: { type: "string", description: "The script. Its last expression is its value." },
    reset: { type: "boolean", description: "Forget all variables first." },
    resume: {
      type: "boolean",
      description: "Continue the script that was interrupted when Haft ended; `code` is ignored.",
    },
  },
  required: ["code"],
  additionalProperties: false,
} as const;

const DESCRIPTION = `Runs JavaScript that calls your other tools, for work with many calls or much intermediate data: only its output comes back to you.
- \`await tools.Read({ file_path: "a.txt" })\` calls a tool with the same input as you would, and gives its text, or an object where its result is data. Independent calls run together in \`Promise.all\`.
- Each call is decided like one of yours. A refused or failed call throws; \`error.name\` is its code.
- \`console.log\` prints. Top-level \`await\` works; variables stay for your next script. There are no modules, no network, no files and no timers but through tools.
- \`Date.now()\` is the start of the script, and \`Math.random()\` repeats when an interrupted script is resumed.`;

/** REPL: a persistent JavaScript interpreter whose scripts call the agent's tools. */
export const repl = defineTool({
  name: "REPL",
  title: "Run a script",
  searchHint: "javascript script code mode repl interpreter compute loop many tool calls",
  description: DESCRIPTION,
  input,
  prompt: ({ inputs }) => apiOf(inputs?.() ?? []),
  offer: "always",
  rules: { groups: ["shells"], substitutes: ["Bash"] },
  can: ["state"],
  when: ({ ports }) => ports.has("scripts") || { absent: "this host has no interpreter" },
  // A script alone touches nothing: each of its calls has effects of its own.
  effects: () => [state("scripts")],
  describe: ({ code = "" }) => ({ title: firstLine(code), activity: "Running a script" }),
  preview: ({ code }) => ({ kind: "text", text: code }),
  async run({ code, reset = false, resume = false }, ctx): Promise<ScriptEnd> {
    const scripts = portOf(ctx.ports, "scripts");
    const end = await scripts.run(code, {
      ...{ agent: ctx.agent.id, signal: ctx.signal, reset, resume },
      call: async (tool, toolInput, started) => answerOf(await ctx.invoke(tool, toolInput, started)),
    });
    if (end.error) throw failed(end, end.error);
    return end;
  },
  toModel: (end) => [text(printed(end))],
  limits: { resultChars: 50_000 },
});

/** The tools as functions of a script, with their types. */
function apiOf(tools: readonly { readonly name: string; readonly input: Schema }[]): string | undefined {
  const lines = tools.filter(({ name }) => name !== "REPL").map(({ name, input: { json } }) => signatureOf(name, json));
  return lines.length === 0
    ? undefined
    : `Functions of \`tools\` in a script of REPL, each with a promise of its result:\n${lines.join("\n")}`;
}

const firstLine = (code: string): string => {
  const line = code.trim().split("\n", 1)[0] ?? "";
  return `Script: ${line.length > 80 ? `${line.slice(0, 79)}…` : line}`;
};

const printed = ({ output, value, calls, replayed }: ScriptEnd): string =>
  [
    output.trimEnd(),
    value === undefined ? "" : `=> ${value}`,
    replayed > 0 ? `[${replayed} of ${calls} results come from the interrupted run]` : "",
  ]
    .filter((part) => part !== "")
    .join("\n") || "[no output]";

function failed(end: ScriptEnd, { name, message, stack = "" }: NonNullable<ScriptEnd["error"]>): HaftError {
  const place = /script\.js:(\d+)/.exec(stack)?.[1];
  const hint = /^redeclaration/.test(message)
    ? "The variable exists from an earlier script: assign it without let or const, or use reset: true."
    : "Calls before the error are not undone. Catch call errors with try and catch.";
  return new HaftError(
    { code: "execution_failed", message: `${name}: ${message}${place ? ` (line ${place})` : ""}`, hint },
    { output: { ...end, error: undefined } },
  );
}

/** A tool's result as a value of the script. */
function answerOf({ content, error }: Result): ScriptAnswer {
  if (error) return { error: { name: error.code, message: errorText(error) } };
  const [only] = content;
  if (content.length === 1 && only?.type === "json") return { value: only.value };
  return { value: content.map(worded).join("\n") };
}

const worded = (part: Content): string =>
  part.type === "text" || part.type === "json" ? contentText(part) : `[${part.type}]`;
