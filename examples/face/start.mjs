/**
 * A whole face in 60 lines: a prompt, streamed words, calls with their results, and questions. It knows no tool by name: events
 * and display values suffice. Run it with a key in the environment: node examples/face/start.mjs
 */
import { createInterface } from "node:readline/promises";
import { stripVTControlCharacters } from "node:util";
import { createAgent } from "haft";

const lines = createInterface({ input: process.stdin, output: process.stderr });
const write = (text) => process.stdout.write(text);
// The words of a model, a file or a program must not steer the terminal.
const plain = (text) => stripVTControlCharacters(String(text)).replaceAll(/[^\P{Cc}\n\t]/gu, "");
const indented = (text) => plain(text).split("\n").slice(0, 12).join("\n    ");

/** A display value as text: the same few kinds for every tool, also for those of MCP servers and your own. */
function draw(show) {
  switch (show.kind) {
    case "diff":
      return show.unified;
    case "matches":
      return show.matches.map(({ path, line, text }) => `${path}:${line}: ${text}`).join("\n");
    case "files":
      return show.files.map(({ path }) => path).join("\n");
    case "todos":
      return show.todos.map(({ content, status }) => `${status === "completed" ? "x" : "-"} ${content}`).join("\n");
    case "table":
      return [show.columns, ...show.rows].map((row) => row.join("  ")).join("\n");
    case "group":
      return show.items.map(draw).join("\n");
    case "image":
      return `[image: ${show.alt}]`;
    default:
      return show.text;
  }
}

async function ask({ title, show, why, suggestions }, signal) {
  write(`\n? ${plain(title)}\n    ${indented(draw(show))}\n  ${plain(why)}\n`);
  const always = suggestions[0] ? `, a = always (${plain(suggestions[0].rules.join(", "))})` : "";
  const said = await lines.question(`  y = yes, n = no${always}: `, { signal }).catch(() => "n");
  if (said === "a" && suggestions[0]) return { behavior: "allow", remember: suggestions[0] };
  return said === "y" ? { behavior: "allow" } : { behavior: "deny", message: said };
}

const session = await createAgent({ ask });
session.on((event) => {
  if (event.type === "model" && event.event.type === "delta") write(plain(event.event.text));
  if (event.type === "tool:execution:start") write(`\n● ${plain(event.activity)}`);
  if (event.type === "tool:execution:complete")
    write(`\n  ${plain(event.summary)}\n    ${indented(draw(event.content))}\n`);
  if (event.type === "tool:execution:error") write(`\n  ✗ ${plain(event.summary)}\n`);
});
write(`${session.model?.name ?? "no model"} in ${session.haft.cwd}\n`);
lines.setPrompt("> ");
lines.prompt();
for await (const line of lines) {
  if (line.trim() === "") break;
  const { reason, error } = await session.prompt(line).catch((error) => ({ reason: "error", error }));
  write(reason === "error" ? `\n✗ ${plain(error?.message)}\n` : "\n");
  lines.prompt();
}
await session[Symbol.asyncDispose]();
