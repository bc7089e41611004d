import { statSync } from "node:fs";
import { join } from "node:path";
import type { SessionInfo } from "@agentclientprotocol/sdk";
import { stateFolder } from "@haft/tools";
import { conversationIn } from "../agent/index.ts";

/** Sessions on one page of the list. */
const PAGE = 50;

/** The conversations of a folder, the latest first. */
export function listSessions(
  { cwd, home, env }: { cwd: string; home: string; env: Readonly<Record<string, string | undefined>> },
  cursor: string | null | undefined,
): { sessions: SessionInfo[]; nextCursor?: string } {
  const state = stateFolder(home, env);
  const ids = state.sessions(cwd);
  const start = Math.max(0, Number.parseInt(cursor ?? "0", 10) || 0);
  const sessions = ids.slice(start, start + PAGE).flatMap((sessionId): SessionInfo[] => {
    const folder = state.session(cwd, sessionId);
    const first = conversationIn(folder).find((message) => message.role === "user");
    const said = first?.role === "user" ? first.content.find((content) => content.type === "text") : undefined;
    if (said?.type !== "text") return [];
    const updatedAt = statSync(join(folder, "session.jsonl"), { throwIfNoEntry: false })?.mtime.toISOString();
    return [{ sessionId, cwd, title: said.text.split("\n")[0]!.slice(0, 80), ...(updatedAt ? { updatedAt } : {}) }];
  });
  const next = start + PAGE;
  return { sessions, ...(next < ids.length ? { nextCursor: String(next) } : {}) };
}
