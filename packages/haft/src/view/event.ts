import type { CallEvent } from "@haft/core/executor";
import type { Mode } from "@haft/core/policy";
import type { AgentEvent } from "../agent/index.ts";

/** A prompt that waits until the agent can take it. */
export interface WaitingPrompt {
  readonly id: string;
  readonly text: string;
  /** The person or program that sent it. */
  readonly by?: string;
}

/** A background job, as far as a face shows it. */
export interface JobView {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}

/** Events of a session that neither the agent's loop nor a call sends. */
export type SessionOnlyEvent =
  | { readonly type: "status"; readonly status: "idle" | "working" }
  | (WaitingPrompt & { readonly type: "prompt"; readonly queued: boolean })
  | { readonly type: "unqueued"; readonly id: string }
  | { readonly type: "notice"; readonly notice: NoticeView }
  | { readonly type: "mode"; readonly mode: Mode }
  | { readonly type: "model-changed"; readonly model: string | { readonly name: string } | undefined }
  | { readonly type: "compacted"; readonly summary?: string }
  | { readonly type: "cleared" }
  | { readonly type: "jobs"; readonly jobs: readonly JobView[] };

/** The part of a notice that faces show. */
export interface NoticeView {
  readonly severity: "notice" | "warning" | "error";
  readonly source?: string;
  readonly message: string;
  readonly cure?: string;
}

/** Everything that a view can be folded from. */
export type ViewEvent = AgentEvent | CallEvent | SessionOnlyEvent;
