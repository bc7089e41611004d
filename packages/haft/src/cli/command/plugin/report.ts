import type { Declaration, DeclaredTool, PluginContents } from "@haft/plugins";
import type { Rehearsal } from "../../../app/extend/rehearse.ts";
import { oneLine } from "../../../draw/sanitize.ts";

/** The declarations of a plugin, for a person who is to agree. All of it comes from a stranger, so nothing reaches the terminal raw. */
export function reportText(contents: PluginContents, declared: readonly Declaration[]): string {
  const { name, version = "", description = "", format, problems } = contents;
  const lines = [
    `${name} ${oneLine(version)} (${format}) ${oneLine(description)}`.trimEnd(),
    "",
    declared.length === 0 ? "It declares no effects." : "It declares:",
    ...declared.flatMap(({ kind, text, effects }) => [
      `  ${kind} ${oneLine(text)}`,
      ...effects.map((effect) => `      ${oneLine(effect)}`),
    ]),
    ...problems.map((problem) => `  note: ${oneLine(problem)}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** The lines that an update adds. */
export const widerText = (name: string, wider: readonly string[]): string =>
  `${name}: the new version can do more:\n${wider.map((line) => `  + ${oneLine(line)}\n`).join("")}`;

/** The outcome of a rehearsal. */
export function rehearsalText({ observed, impossible }: Rehearsal): string {
  if (impossible !== undefined) return `\nIt was not rehearsed: ${oneLine(impossible)}\n`;
  if (observed.length === 0) return "\nRehearsed without network in a temporary copy: it changed nothing.\n";
  return `\nRehearsed without network in a temporary copy:\n${observed.map((line) => `  ! ${oneLine(line)}\n`).join("")}`;
}

/** The tools that a module registers. */
export const toolsText = (tools: readonly DeclaredTool[]): string =>
  tools.map(({ name, description }) => `  tool ${oneLine(name)}: ${oneLine(description)}\n`).join("");
