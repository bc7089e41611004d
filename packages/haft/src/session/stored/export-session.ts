import { contentsText } from "@haft/core/tool";
import type { Message } from "../../agent/index.ts";

/** A conversation as Markdown, for people. */
export function conversationMarkdown(id: string, messages: readonly Message[]): string {
  return [`# Session ${id}`, ...messages.flatMap(blocksOf)].join("\n\n").concat("\n");
}

function blocksOf(message: Message): readonly string[] {
  switch (message.role) {
    case "user":
      return ["## User", contentsText(message.content)];
    case "assistant":
      return [
        "## Agent",
        ...message.parts.map((part) => {
          if (part.type === "text") return part.text;
          if (part.type === "reasoning") return part.text.trim() === "" ? "" : quoted(part.text);
          return `**${part.tool}**\n\n${fenced(part.json ?? JSON.stringify(part.input, undefined, 2), "json")}`;
        }),
      ].filter((block) => block !== "");
    case "results":
      return message.results.map(
        ({ tool, status, content }) => `Result of **${tool}** (${status}):\n\n${fenced(contentsText(content), "text")}`,
      );
  }
}

const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");

/** A block whose fence is longer than any in its text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
