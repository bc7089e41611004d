import type { ApprovalRequest } from "@haft/core/approval";
import type { Mode } from "@haft/core/policy";
import type { Todo } from "@haft/core/tool";
import type { Usage } from "../agent/index.ts";
import type { QueuedPrompt } from "../session/index.ts";
import type { JobView } from "./event.ts";
import type { Row } from "./row.ts";

/** A started agent, as far as its calls show it. */
export interface AgentView {
  readonly id: string;
  readonly name: string;
  /** Names from the main agent down to it. */
  readonly path: readonly string[];
  readonly model?: string;
  /** The row of the call that started it, where known. */
  readonly rowId?: string;
  readonly calls: number;
  readonly activity: string;
}

/** The tokens that a session has used. `contextTokens`: the size of the last request. */
export interface UsageView extends Usage {
  readonly contextTokens?: number;
}

/** Everything that a face shows of one session. Immutable: each event makes a new one that shares what is the same. */
export interface SessionView {
  readonly rows: readonly Row[];
  /** Questions without an answer, oldest first. */
  readonly approvals: readonly ApprovalRequest[];
  readonly todos: readonly Todo[];
  readonly usage: UsageView;
  readonly jobs: readonly JobView[];
  readonly agents: readonly AgentView[];
  readonly queue: readonly QueuedPrompt[];
  readonly status: "idle" | "working";
  readonly mode?: Mode;
  readonly model?: string;
  /** Bookkeeping of the fold: the rows of the message that is being written, by key of the model's events. */
  readonly open: Readonly<Record<string, string>>;
  /** Bookkeeping of the fold: the number of rows ever made. */
  readonly made: number;
}

/** The view of a session before its first event. */
export const emptyView: SessionView = {
  ...{ rows: [], approvals: [], todos: [], usage: {}, jobs: [], agents: [], queue: [] },
  ...{ status: "idle", open: {}, made: 0 },
};
