import { setTimeout as wait } from "node:timers/promises";
import type { Executor } from "@haft/core/executor";
import type { Settings } from "@haft/core/policy";
import type { McpManager } from "@haft/mcp";
import type { SettingsHooks } from "@haft/plugins/hook";
import type { Retention } from "@haft/service";
import type { AgentEngine } from "./agents/engine.ts";
import type { Approvals } from "./approval/open-approvals.ts";
import type { Extensions } from "./extend/open-extensions.ts";
import type { NoticeListener } from "./notice.ts";
import type { SessionRecord } from "./record.ts";
import type { SessionState } from "./session/session-ports.ts";
import type { SessionUser } from "./setup/session-users.ts";
import type { Setup } from "./setup/setup.ts";
import type { World } from "./setup/world.ts";

/** Everything to close with a session. */
export interface Ending {
  readonly setup: Setup;
  readonly world: World;
  readonly executor: Executor;
  readonly hooks: SettingsHooks;
  readonly approvals: Approvals;
  readonly mcp: Pick<McpManager, "close">;
  readonly extensions: Extensions;
  readonly engine: Pick<AgentEngine, "close">;
  readonly state: Pick<SessionState, "park" | "close">;
  readonly record: SessionRecord | undefined;
  readonly user: SessionUser;
  readonly queue?: { close(): Promise<void> };
  readonly onNotice: NoticeListener;
}

/** Most milliseconds to wait for calls that are cancelled at the end. */
const CANCEL_MS = 5000;

export interface SessionEnd {
  /** Closes everything, once; further callers wait for the same close. */
  close(): Promise<void>;
  /** Whether closing has begun. */
  isOver(): boolean;
}

/** Ends a session: first everything that runs, then the records. Their heads are delivered last. */
export function sessionEnd(ending: Ending): SessionEnd {
  const { world, executor, hooks, approvals, mcp, extensions, engine, state, record } = ending;
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    hooks.close();
    state.park();
    approvals.close();
    const landed = executor.close("the session has ended");
    // Changes of a cancelled command are set aside. A tool that ignores the cancellation is not waited for.
    await Promise.race([Promise.all([landed, engine.close()]), wait(CANCEL_MS, undefined, { ref: false })]);
    await Promise.all([mcp.close(), extensions.close(), state.close(), world.close()]);
    await ending.queue?.close();
    const journal = world.journaling?.journal;
    await journal?.jobs.idle();
    record?.log.append({ t: "end" });
    // Dropping the oldest contents links the lines again. Only after that is the head final.
    await journal?.close();
    try {
      // A store of the host's own may refuse the last entries. The caller has to know.
      await record?.log.close();
    } finally {
      await publishHeads(ending);
      ending.user.leave();
      ending.setup.state?.tidy(ending.setup.cwd, retentionIn(ending.setup.settings));
    }
  }
  return {
    close() {
      closing ??= close();
      return closing;
    },
    isOver: () => closing !== undefined,
  };
}

/** Days for which a session is kept by default. */
const KEEP_DAYS = 90;

/** If the head of the record is sent elsewhere, a missing record is an alarm: such records are removed only if the settings allow it. */
const retentionIn = ({ sessions = {}, journal }: Settings): Retention => ({
  days: sessions.keepDays ?? (journal?.head === undefined ? KEEP_DAYS : 0),
  ...(sessions.keepCount === undefined ? {} : { count: sessions.keepCount }),
});

async function publishHeads({ setup: { settings, cwd, session }, world, record, onNotice }: Ending): Promise<void> {
  const to = settings.journal?.head;
  if (to === undefined) return;
  const { publishHead } = await import("./journal/head.ts");
  const heads = { journal: world.journaling?.journal.head(), record: record?.log.head() };
  const notice = publishHead(to, {
    ...{ at: new Date().toISOString(), workspace: cwd, session: session.id },
    ...(heads.record === undefined ? {} : { record: heads.record }),
    ...(heads.journal === undefined ? {} : { journal: heads.journal }),
  });
  if (notice !== undefined) onNotice(notice);
}
