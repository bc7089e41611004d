import { questionHead } from "@haft/core/approval";
import { get } from "./api.ts";
import type { InboxItem, SessionEntry } from "./model.ts";
import { onMessage, onOpen } from "./socket.ts";
import { Store } from "./store.ts";

/** The questions of all sessions that wait for an answer. */
export const inbox = new Store<readonly InboxItem[]>([]);

/** Answers of the last minutes, so that a question never vanishes without a word. */
export const settled = new Store<readonly Settled[]>([]);

export interface Settled {
  readonly id: string;
  readonly title: string;
  readonly by?: string;
  readonly behavior?: string;
}

/** All sessions of the folder, the latest first. */
export const sessions = new Store<readonly SessionEntry[]>([]);

/** Milliseconds after the end of a question in which others may have moved under the pointer. */
const MOVING_MS = 500;
let endedAt = Number.NEGATIVE_INFINITY;

/** Whether a click of the pointer may have been meant for the question that was there before. */
export const isMisplaced = ({ detail }: MouseEvent): boolean => detail > 0 && performance.now() - endedAt < MOVING_MS;

let loading: ReturnType<typeof setTimeout> | undefined;

/** Follows inbox and sessions for as long as the page is open. */
export function followInbox(): void {
  onOpen(() => void load());
  onMessage((message) => {
    if (message.type === "asked") {
      const item = message.item as InboxItem;
      inbox.set([...inbox.value.filter(({ request }) => request.id !== item.request.id), item]);
      later();
    }
    if (message.type === "settled") settle(message as unknown as Settled);
    if (message.type === "sessions") later();
  });
}

function settle({ id, by, behavior }: Settled): void {
  const item = inbox.value.find(({ request }) => request.id === id);
  if (item) {
    endedAt = performance.now();
    const end = { id, title: questionHead(item.request), ...(by ? { by } : {}), ...(behavior ? { behavior } : {}) };
    settled.set([end, ...settled.value].slice(0, 5));
  }
  inbox.set(inbox.value.filter(({ request }) => request.id !== id));
  later();
}

/** Many changes within a moment need one request. */
function later(): void {
  clearTimeout(loading);
  loading = setTimeout(() => void loadSessions(), 150);
}

export async function load(): Promise<void> {
  const { approvals } = await get<{ approvals: readonly InboxItem[] }>("/api/approvals");
  inbox.set(approvals);
  await loadSessions();
}

async function loadSessions(): Promise<void> {
  const answer = await get<{ sessions: readonly SessionEntry[] }>("/api/sessions?limit=200").catch(() => undefined);
  if (answer) sessions.set(answer.sessions);
}
