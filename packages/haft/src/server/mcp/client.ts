import type { CallRequest } from "@haft/core/executor";
import type { Haft } from "../../app/haft.ts";
import type { ClientCalls } from "./client-calls.ts";
import type { Talks } from "./client-questions.ts";
import type { ClientNotices } from "./notices.ts";
import type { ResultStore } from "./results.ts";
import type { Follows } from "./subscriptions.ts";

/** A served client: its permissions, pending questions and spilled results, separate from those of other clients. */
export interface ServedClient {
  readonly haft: Haft;
  readonly clientCalls: ClientCalls;
  readonly talks: Talks;
  readonly results: ResultStore;
  /** The client's resource subscriptions. */
  readonly follows: Follows;
  /** Resolves when the upstream servers are ready, or after a timeout. */
  whenReady(): Promise<void>;
  /** Notices for the person, if the client may show them. */
  readonly notices?: ClientNotices;
  /** The approval that the client's own host already has for a call. */
  approval?(tool: string, input: unknown): Pick<CallRequest, "approved" | "approvedFor">;
  /** Cancels the client's pending requests. */
  close(): void;
}
