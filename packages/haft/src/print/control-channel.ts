import { randomUUID } from "node:crypto";

type Json = Readonly<Record<string, unknown>>;

/** A request of the host, and what to answer. Its rejection becomes an error answer. */
export type ControlHandler = (request: Json, signal: AbortSignal) => Promise<Json>;

/** Requests in both directions on the stream that also carries messages. */
export interface ControlChannel {
  /** Asks the host. Rejects when it answers with an error, when the signal fires, or when the stream ends. */
  request(request: Json, signal?: AbortSignal): Promise<Json>;
  /** Takes a line of the host if it is about requests. */
  take(message: Json): boolean;
  /** The host is gone: rejects what waits, and every further request. */
  close(): void;
}

/** A channel that writes with `send`. */
export function createControlChannel(send: (message: Json) => void, handle: ControlHandler): ControlChannel {
  const waiting = new Map<string, PromiseWithResolvers<Json>>();
  const serving = new Map<string, AbortController>();
  let isClosed = false;

  async function serve(id: string, request: Json): Promise<void> {
    const own = new AbortController();
    serving.set(id, own);
    const answer = await handle(request, own.signal).then(
      (response) => ({ subtype: "success", request_id: id, response }),
      (thrown: Error) => ({ subtype: "error", request_id: id, error: thrown.message }),
    );
    serving.delete(id);
    send({ type: "control_response", response: answer });
  }

  return {
    async request(request, signal) {
      if (isClosed) throw new Error("The host is gone.");
      const id = randomUUID();
      const answered = Promise.withResolvers<Json>();
      waiting.set(id, answered);
      const cancel = (): void => {
        send({ type: "control_cancel_request", request_id: id });
        answered.reject(new Error("The question was withdrawn."));
      };
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        if (signal?.aborted) cancel();
        else send({ type: "control_request", request_id: id, request });
        return await answered.promise;
      } finally {
        signal?.removeEventListener("abort", cancel);
        waiting.delete(id);
      }
    },
    take(message) {
      const { type, request_id, request, response } = message;
      if (type === "control_request" && typeof request_id === "string") {
        void serve(request_id, (request ?? {}) as Json);
        return true;
      }
      if (type === "control_cancel_request") {
        serving.get(String(request_id))?.abort();
        return true;
      }
      if (type !== "control_response") return false;
      const { request_id: id, subtype, error, response: body } = (response ?? {}) as Json;
      const answered = waiting.get(String(id));
      if (subtype === "success") answered?.resolve((body ?? {}) as Json);
      else answered?.reject(new Error(typeof error === "string" ? error : "The host answered with an error."));
      return true;
    },
    close() {
      isClosed = true;
      for (const answered of waiting.values()) answered.reject(new Error("The host is gone."));
      for (const own of serving.values()) own.abort();
    },
  };
}
