import { dirname, join } from "node:path";
import { contentsText, type SessionInfo, type SessionLine, type SessionStatus } from "@haft/core/tool";
import { readSessionLog, type StateFolder } from "@haft/service";
import { openTextIndex } from "@haft/service/session";
import { conversationFile, conversationIn } from "../../agent/conversation.ts";
import type { Message } from "../../agent/index.ts";
import { openStrangers } from "./strangers.ts";

const folderOf = (state: StateFolder, { id, folder }: SessionInfo): string => state.session(folder, id);
const recordOf = (state: StateFolder, info: SessionInfo): string => join(folderOf(state, info), "session.jsonl");

/** Mode and calls of a session, by its record. */
export function statusOf(state: StateFolder, info: SessionInfo): Pick<SessionStatus, "calls" | "mode"> {
  const counts = new Map<string, { tool: string; count: number; failed: number }>();
  let mode: string | undefined;
  for (const entry of recorded(recordOf(state, info))) {
    if (entry.t === "session" && typeof entry.mode === "string") mode = entry.mode;
    if (entry.t !== "call") continue;
    const tool = String(entry.tool);
    const known = counts.get(tool) ?? { tool, count: 0, failed: 0 };
    known.count++;
    if (entry.status !== "ok") known.failed++;
    counts.set(tool, known);
  }
  return { calls: [...counts.values()], ...(mode === undefined ? {} : { mode }) };
}

function recorded(record: string) {
  try {
    return readSessionLog(record).entries;
  } catch {
    return [];
  }
}

/** The end of a conversation, and the strangers whose content it may contain. */
export function historyOf(
  state: StateFolder,
  info: SessionInfo,
  { limit, tools }: { readonly limit: number; readonly tools: boolean },
): { readonly lines: readonly SessionLine[]; readonly sources: readonly string[] } {
  const lines = conversationIn(folderOf(state, info)).flatMap((message) => linesOf(message, tools));
  return { lines: lines.slice(-limit), sources: openStrangers(recordOf(state, info)).sources() };
}

function linesOf(message: Message, tools: boolean): readonly SessionLine[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", text: contentsText(message.content) }];
    case "assistant":
      return message.parts.flatMap((part): SessionLine[] => {
        if (part.type === "text") return part.text === "" ? [] : [{ role: "assistant", text: part.text }];
        return part.type === "tool-call" && tools
          ? [{ role: "assistant", tool: part.tool, text: JSON.stringify(part.input) }]
          : [];
      });
    case "results":
      return tools
        ? message.results.map(({ tool, content }) => ({ role: "tool", tool, text: contentsText(content) }))
        : [];
  }
}

/** The sessions whose conversations contain the words, the best first. */
export async function searched(
  state: StateFolder,
  sessions: readonly SessionInfo[],
  query: string,
): Promise<readonly SessionInfo[]> {
  const index = await openTextIndex(join(state.root, "search.db"));
  try {
    const files = new Map(sessions.map((info) => [info.id, conversationFile(folderOf(state, info))]));
    const textOf = (file: string) =>
      conversationIn(dirname(file))
        .flatMap((message) => linesOf(message, false))
        .map(({ text }) => text)
        .join("\n");
    return index.search(query, files, textOf).map((id) => sessions.find((one) => one.id === id)!);
  } finally {
    index.close();
  }
}
