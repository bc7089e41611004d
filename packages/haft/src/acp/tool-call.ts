import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { Display, Effect } from "@haft/core/tool";
import { programOutput } from "../draw/sanitize.ts";

/** Most characters of one shown text. Editors keep every update in memory. */
const MOST_CHARS = 20_000;

/** The kind of a call by its effects: editors choose the symbol by it. */
export function kindOf(effects: readonly Effect[]): ToolKind {
  const does = (word: Effect["do"]) => effects.some((effect) => effect.do === word);
  const writes = effects.filter((effect) => effect.do === "write");
  if (does("run")) return "execute";
  if (writes.some(({ from }) => from !== undefined)) return "move";
  if (writes.length > 0) return writes.every(({ change }) => change === "delete") ? "delete" : "edit";
  if (does("connect")) return "fetch";
  if (does("read")) return effects.some((effect) => effect.do === "read" && effect.tree) ? "search" : "read";
  return effects.every((effect) => effect.do === "state") ? "think" : "other";
}

/** The files that a call touches, so that an editor can follow it. */
export function locationsOf(effects: readonly Effect[], show?: Display): ToolCallLocation[] {
  const paths = effects.flatMap((effect) =>
    effect.do === "write" || (effect.do === "read" && !effect.tree) ? [effect.as ?? effect.path] : [],
  );
  const hits = show?.kind === "matches" ? show.matches.map(({ path, line }) => ({ path, line })) : [];
  const known = new Map<string, ToolCallLocation>();
  for (const location of [...hits, ...paths.map((path): ToolCallLocation => ({ path }))])
    if (location.path.startsWith("/") && !known.has(location.path)) known.set(location.path, location);
  return [...known.values()].slice(0, 20);
}

const text = (value: string): ToolCallContent => ({ type: "content", content: { type: "text", text: value } });
const fenced = (value: string, language = ""): ToolCallContent => text(`\`\`\`${language}\n${bounded(value)}\n\`\`\``);

/** Keeps the beginning and the end of a long text. */
function bounded(value: string): string {
  if (value.length <= MOST_CHARS) return value;
  const half = MOST_CHARS / 2;
  return `${value.slice(0, half)}\n… ${value.length - MOST_CHARS} characters …\n${value.slice(-half)}`;
}

/** A display value as the protocol shows it. */
export function contentOf(show: Display): ToolCallContent[] {
  switch (show.kind) {
    case "diff":
      // The record of a session keeps the difference alone of a large change.
      if (typeof show.before !== "string") return [fenced(show.unified, "diff")];
      return [{ type: "diff", path: show.path, oldText: show.before === "" ? null : show.before, newText: show.after }];
    case "terminal": {
      const command = show.command === undefined ? "" : `$ ${show.command}\n`;
      const code = show.exitCode ? `\nexit code ${show.exitCode}` : "";
      return [fenced(`${command}${programOutput(show.text, false)}${code}`, "console")];
    }
    case "text":
      return show.text === "" ? [] : [fenced(show.text)];
    case "markdown":
      return [text(bounded(show.text))];
    case "message":
      return [text(bounded([show.text, ...(show.files ?? []).map(({ path }) => path)].join("\n")))];
    case "image":
      return [{ type: "content", content: { type: "image", data: show.data, mimeType: show.mediaType } }];
    case "group":
      return show.items.flatMap((item) => contentOf(item));
    default:
      return [fenced(plainText(show))];
  }
}

function plainText(show: Display): string {
  switch (show.kind) {
    case "matches":
      return show.matches.map(({ path, line, text }) => `${path}:${line}: ${text}`).join("\n");
    case "files":
      return show.files.map(({ path }) => path).join("\n");
    case "todos":
      return show.todos.map(({ content, status }) => `${status === "completed" ? "x" : "-"} ${content}`).join("\n");
    case "table":
      return [show.columns, ...show.rows].map((row) => row.join(" | ")).join("\n");
    case "progress":
      return show.text;
    default:
      return "";
  }
}
