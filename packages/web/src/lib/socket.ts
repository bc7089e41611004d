import { type ApiError, get } from "./api.ts";
import { Store } from "./store.ts";

/** A message of the server. */
export interface ServerMessage {
  readonly type: string;
  readonly session?: string;
  readonly seq?: number;
  readonly event?: unknown;
  readonly ref?: string;
  readonly error?: { readonly message: string };
  readonly [field: string]: unknown;
}

/** Whether the page hears the server at present. */
export const isOnline = new Store(false);

/** The server answers, and does not know this page any more: it has been started again. */
export const isForgotten = new Store(false);

const listeners = new Set<(message: ServerMessage) => void>();
const openers = new Set<() => void>();
let socket: WebSocket | undefined;
let wait = 500;

/** Connects, and again after each loss, with longer and longer pauses. */
export function connect(): void {
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/socket`;
  const own = new WebSocket(address);
  socket = own;
  own.onopen = () => {
    wait = 500;
    isOnline.set(true);
    for (const opener of [...openers]) opener();
  };
  own.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as ServerMessage;
    for (const listener of [...listeners]) listener(message);
  };
  own.onclose = () => {
    isOnline.set(false);
    setTimeout(() => void reconnect(), wait);
    wait = Math.min(wait * 2, 15_000);
  };
}

async function reconnect(): Promise<void> {
  const status = await get("/api/about").then(
    () => 200,
    (thrown: ApiError) => thrown.status,
  );
  if (status === 401) isForgotten.set(true);
  else connect();
}

/** Sends a message; `false` while the connection is lost. */
export function send(message: object): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

export function onMessage(listener: (message: ServerMessage) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls the function now, if connected, and after every reconnection. */
export function onOpen(opener: () => void): () => void {
  openers.add(opener);
  if (socket?.readyState === WebSocket.OPEN) opener();
  return () => openers.delete(opener);
}
