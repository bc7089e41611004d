import type { Haft } from "../../app/haft.ts";
import type { Desk } from "./desk.ts";
import type { Follows } from "./follows.ts";
import type { ClientNotices } from "./notices.ts";
import type { ResultStore } from "./results.ts";
import type { Talks } from "./talk.ts";

/** Somebody whom the server serves: what they may do, what they were asked, what came out too long. Theirs alone. */
export interface ServedClient {
  readonly haft: Haft;
  readonly desk: Desk;
  readonly talks: Talks;
  readonly results: ResultStore;
  /** Of which resources they want to hear. */
  readonly follows: Follows;
  /** Resolves when the servers behind this one are there, or were waited for long enough. */
  whenReady(): Promise<void>;
  /** What the person should know, where the client may tell them. */
  readonly notices?: ClientNotices;
  /** Cancels what waits for them. */
  close(): void;
}
