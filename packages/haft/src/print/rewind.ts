import type { CallEvent } from "@haft/core/executor";
import { HaftError } from "@haft/core/tool";
import type { AgentSession } from "../session/index.ts";

/** The answer to a host that takes the files back to a message. */
export interface RewindResult {
  readonly canRewind: boolean;
  readonly error?: string;
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
}

/** The calls that ran after each message of the person, so that a host can take their changes back. */
export interface Rewinder {
  /** A message of the person begins. */
  begin(message: string): void;
  /** Takes the files back to the state before the work on this message. `isDry`: only says what that would change. */
  rewind(message: string, isDry: boolean): Promise<RewindResult>;
}

type Ended = Extract<CallEvent, { type: "tool:execution:complete" | "tool:execution:error" }>;

/** Follows a session from now on. */
export function createRewinder(session: AgentSession): Rewinder {
  const points: { readonly message: string; readonly calls: Ended[] }[] = [];
  session.on((event) => {
    if (event.type !== "tool:execution:complete" && event.type !== "tool:execution:error") return;
    const { effects, durationMs } = event.outcome;
    const mayChange = effects.some(({ do: word }) => word === "write" || word === "run");
    if (mayChange && durationMs > 0) points.at(-1)?.calls.push(event);
  });
  return {
    begin: (message) => void points.push({ message, calls: [] }),
    async rewind(message, isDry) {
      const from = points.findLastIndex((point) => point.message === message);
      if (from < 0) return { canRewind: false, error: `Unknown message ${message}.` };
      const calls = points.slice(from).flatMap((point) => point.calls);
      if (isDry) return { canRewind: true, ...sizeOf(calls) };
      const { files, problems } = await undone(session, calls.toReversed());
      if (problems.length === 0) for (const point of points.slice(from)) point.calls.length = 0;
      const changed = { filesChanged: [...files] };
      return problems.length > 0
        ? { canRewind: false, error: problems.join(" "), ...changed }
        : { canRewind: true, ...changed };
    },
  };
}

function sizeOf(calls: readonly Ended[]): Omit<RewindResult, "canRewind"> {
  const files = new Set<string>();
  let [insertions, deletions] = [0, 0];
  for (const { outcome, content } of calls) {
    for (const effect of outcome.effects) if (effect.do === "write") files.add(effect.path);
    if (content.kind !== "diff") continue;
    // Removes the added files, and restores the removed ones.
    insertions += content.removed;
    deletions += content.added;
  }
  return { filesChanged: [...files], insertions, deletions };
}

/** Undoes calls, the latest first. Stops at the first that others have changed since. */
async function undone({ haft }: AgentSession, calls: readonly Ended[]) {
  const files = new Set<string>();
  const problems: string[] = [];
  for (const { call, outcome, title } of calls) {
    try {
      const { changed, kept, losses } = await haft.undo(call.id);
      for (const { path } of changed) files.add(path);
      for (const { path, why } of [...kept, ...losses]) problems.push(`${path} was not restored: ${why}.`);
    } catch (thrown) {
      // A command has often changed nothing.
      if (!outcome.effects.some(({ do: word }) => word === "write")) continue;
      problems.push(`${title} was not undone. ${HaftError.is(thrown) ? thrown.message : String(thrown)}`);
    }
    if (problems.length > 0) break;
  }
  return { files, problems };
}
