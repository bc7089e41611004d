import type { ApprovalRequest } from "@haft/core/approval";

/** Data of the server, as the pages read it. */

export interface SessionEntry {
  readonly id: string;
  readonly isOpen: boolean;
  readonly title: string;
  readonly changedAt: string;
  readonly status: "idle" | "working" | "closed";
  readonly approvals: number;
  readonly model?: string;
  readonly mode?: string;
}

export interface InboxItem {
  readonly session: string;
  readonly request: ApprovalRequest;
  readonly digest: string;
  readonly isWaiting: boolean;
  readonly folder?: string;
  readonly from?: { readonly kind: "schedule" | "spawned"; readonly label?: string };
  readonly effectsKey: string;
}

export interface ToolInfo {
  readonly name: string;
  readonly source: string;
  readonly group: string;
  readonly kind: string;
  readonly can: readonly string[];
  readonly description: string;
  readonly inputSchema: unknown;
  readonly tokens: number;
  readonly offered: boolean;
  readonly why?: string;
}

export interface TimelineCall {
  readonly id: string;
  readonly tool: string;
  readonly turn: number;
  readonly agent: string;
  readonly kind: string;
  readonly status: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly decision?: string;
  readonly reason?: string;
  readonly title?: string;
  readonly changed: boolean;
  /** The number of answers that were remembered before its end. */
  readonly grants: number;
  /** The tokens in the context when the model made the call, if the provider counts them. */
  readonly context?: number;
}
