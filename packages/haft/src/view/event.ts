import type { SessionEvent } from "../session/index.ts";

/** A background job, as far as a face shows it. */
export interface JobView {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}

/** Everything that a view can be folded from: the events of a session, and the jobs that its face has asked for. */
export type ViewEvent = SessionEvent | { readonly type: "jobs"; readonly jobs: readonly JobView[] };
