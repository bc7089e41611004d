import type { SessionInfo } from "@agentclientprotocol/sdk";
import { storedSessions } from "../session/index.ts";

/** Sessions on one page of the list. */
const PAGE = 50;

/** The conversations of a folder, the latest first. */
export function listSessions(
  { cwd, home, env }: { cwd: string; home: string; env: Readonly<Record<string, string | undefined>> },
  cursor: string | null | undefined,
): { sessions: SessionInfo[]; nextCursor?: string } {
  const all = storedSessions({ cwd, home, env });
  const start = Math.max(0, Number.parseInt(cursor ?? "0", 10) || 0);
  const sessions = all
    .slice(start, start + PAGE)
    .map(
      ({ id, title, updatedAt }): SessionInfo => ({ sessionId: id, cwd, title, updatedAt: updatedAt.toISOString() }),
    );
  const next = start + PAGE;
  return { sessions, ...(next < all.length ? { nextCursor: String(next) } : {}) };
}
