import type { Decision } from "../policy/index.ts";
import { type Clock, fail } from "../tool/index.ts";
import { checkAnswer, type Receipt } from "./answer.ts";
import type { Outcome } from "./outcome.ts";
import type { ApprovalRequest, Asker, PendingApproval } from "./request.ts";
import type { ApprovalStore } from "./store.ts";

/** Somebody who can be asked: a terminal, a web page, a program. The name is what `by` says later. */
export interface NamedAsker {
  readonly name: string;
  readonly ask: Asker;
}

/** Who answers, for how long is waited, and where questions are kept. */
export interface BrokerOptions {
  /** All of them are asked at once; the first valid answer counts. */
  readonly askers?: readonly NamedAsker[];
  /** The host answers through `answer`, so a request waits even when no asker has one. Default false. */
  readonly hostAnswers?: boolean;
  readonly clock: Clock;
  /** A new id, never given out before. */
  newId(): string;
  /** Milliseconds after which an unanswered request ends as `expired`. Default: it waits for ever. */
  readonly timeoutMs?: number;
  /** Keeps every question before anybody is asked, and brings answers that are given in other processes. */
  readonly store?: ApprovalStore;
  /** Hears when an asker threw or gave something that is no answer: nobody was asked then, and its program is wrong. */
  readonly onFault?: (asker: string, why: string) => void;
}

/** A request before it has an id. */
export type NewRequest = Omit<ApprovalRequest, "id" | "expiresAt">;

/** A request that somebody could be asked, and its end. */
export type BrokerEvent =
  | { readonly type: "asked"; readonly pending: PendingApproval }
  | { readonly type: "settled"; readonly request: ApprovalRequest; readonly outcome: Outcome };

/** Brings a question to those who may answer it and the first valid answer back. */
export interface Broker {
  /**
   * Asks, and resolves when the request is settled; no asker can make it reject. Waiting consumes nothing but
   * the request's own time. `asked` hears the request, with its id, before anybody can answer it; where nobody can be
   * asked it is not called, and its failure is its own.
   *
   * Rejects with HaftError `validation_failed` when the request is not plain data, and with the store's own failure when
   * it could not be kept, before anybody sees it.
   */
  ask(
    request: NewRequest,
    decision: Decision,
    signal?: AbortSignal,
    asked?: (request: ApprovalRequest) => void,
  ): Promise<Outcome>;
  /** What waits for an answer now, oldest first. */
  pending(): readonly PendingApproval[];
  /** An answer from a host's own queue. `callId`, where given, must be the request's. */
  answer(requestId: string, answer: unknown, by: string, callId?: string): Receipt;
  /** Tells of every request and its end, until the returned function is called. A listener's failure is its own. */
  watch(listener: (event: BrokerEvent) => void): () => void;
  /**
   * From now on no host answers: what waits for one alone ends as unattended, and where it is kept can be answered later.
   * An asker that is thinking may still answer.
   */
  close(): void;
}

/** How many settled ids are remembered, so that a late answer hears "already settled" instead of "unknown". */
const REMEMBERED = 1000;

interface Waiting {
  readonly pending: PendingApproval;
  settle(outcome: Outcome): void;
}

/** Makes a broker. Its requests and memory are its own: two brokers in one process know nothing of each other. */
export function createBroker(options: BrokerOptions): Broker {
  const { askers = [], clock, timeoutMs, store } = options;
  const waiting = new Map<string, Waiting>();
  const settled = new Set<string>();
  const listeners = new Set<(event: BrokerEvent) => void>();
  const asking = new Set<string>();
  let isClosed = false;

  async function ask(
    draft: NewRequest,
    decision: Decision,
    signal?: AbortSignal,
    asked?: (request: ApprovalRequest) => void,
  ): Promise<Outcome> {
    const fresh = sealed({ ...draft, id: options.newId(), ...expiry(clock, timeoutMs) });
    if (signal?.aborted) return { status: "cancelled", requestId: fresh.id };
    const { id: requestId, given } = store?.open(fresh) ?? { id: fresh.id };
    const request = requestId === fresh.id ? fresh : Object.freeze({ ...fresh, id: requestId });
    if (waiting.has(requestId) || settled.has(requestId))
      fail("validation_failed", `The request id "${requestId}" was given out twice.`, "Make newId return fresh ids.");
    const early = given && attemptCheck(given.answer, request);
    const isAlone = askers.length === 0 && (isClosed || !options.hostAnswers);
    if (isAlone && !early?.ok) return unattended(requestId);

    return new Promise((resolve) => {
      const over = new AbortController();
      const onCancel = () => settle({ status: "cancelled", requestId });
      const pending = { request, decision };
      waiting.set(requestId, { pending, settle });
      store?.listen(requestId, (elsewhere) => answer(requestId, elsewhere.answer, elsewhere.by));
      signal?.addEventListener("abort", onCancel, { once: true });
      quietly(() => asked?.(request));
      tell({ type: "asked", pending });
      if (timeoutMs !== undefined) {
        const expire = () => settle({ status: "expired", requestId });
        // A clock that fails must not leave a request open for ever.
        clock.sleep(timeoutMs, over.signal).then(expire, expire);
      }
      // What was answered while no process waited is not asked again.
      if (given && early?.ok) answer(requestId, given.answer, given.by);
      else void askAll(request, over.signal);

      function settle(outcome: Outcome): void {
        if (!waiting.delete(requestId)) return;
        // A question that was kept may be asked again, under its id.
        if (outcome.status !== "unattended") remember(requestId);
        signal?.removeEventListener("abort", onCancel);
        quietly(() => store?.settle(requestId, outcome));
        over.abort();
        resolve(outcome);
        tell({ type: "settled", request, outcome });
      }
    });
  }

  /** Asks everybody at once. When all have given up and no host queue is left, nobody is there. */
  async function askAll(request: ApprovalRequest, signal: AbortSignal): Promise<void> {
    asking.add(request.id);
    await Promise.all(
      askers.map(async ({ name, ask: put }) => {
        const { candidate, fault } = await attempt(() => put(request, signal));
        // What somebody says after all is over is late, not wrong.
        if (signal.aborted) return;
        const receipt = candidate == null ? undefined : answer(request.id, candidate, name);
        const why =
          fault ?? (receipt?.accepted === false && receipt.reason === "invalid" ? receipt.message : undefined);
        if (why !== undefined) quietly(() => options.onFault?.(name, why));
      }),
    );
    asking.delete(request.id);
    if (!options.hostAnswers || isClosed) waiting.get(request.id)?.settle(unattendedOutcome(request.id));
  }

  /** Nobody is here to be asked; the question, where it is kept, stays for who comes later. */
  function unattended(requestId: string): Outcome {
    const outcome = unattendedOutcome(requestId);
    quietly(() => store?.settle(requestId, outcome));
    return outcome;
  }

  const unattendedOutcome = (requestId: string): Outcome => ({
    status: "unattended",
    requestId,
    ...(store ? { kept: true } : {}),
  });

  function answer(requestId: string, candidate: unknown, by: string, callId?: string): Receipt {
    const open = waiting.get(requestId);
    if (!open)
      return settled.has(requestId)
        ? refused("already_settled", `The request "${requestId}" is settled already; this answer changes nothing.`)
        : refused("unknown_request", `There is no request "${requestId}".`);
    const { request } = open.pending;
    if (callId !== undefined && callId !== request.callId)
      return refused("other_call", `The request "${requestId}" belongs to another call.`);
    const checked = attemptCheck(candidate, request);
    if (!checked.ok) return refused("invalid", `This is no answer to "${requestId}": ${checked.why}.`);
    open.settle({ status: "answered", requestId, answer: checked.answer, by });
    return { accepted: true };
  }

  function remember(requestId: string): void {
    settled.add(requestId);
    const [oldest] = settled;
    if (settled.size > REMEMBERED && oldest !== undefined) settled.delete(oldest);
  }

  function tell(event: BrokerEvent): void {
    for (const listener of [...listeners]) quietly(() => listener(event));
  }

  return {
    ask,
    answer,
    pending: () => [...waiting.values()].map(({ pending }) => pending),
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      isClosed = true;
      for (const [requestId, { settle }] of [...waiting])
        if (!asking.has(requestId)) settle(unattendedOutcome(requestId));
    },
  };
}

/** Lets somebody know. Watching must not change what happens. */
function quietly(tell: () => void): void {
  try {
    tell();
  } catch {
    // The listener's own failure.
  }
}

/** What an asker said; one that throws, at once or later, said nothing. */
async function attempt(
  put: () => Promise<unknown>,
): Promise<{ readonly candidate?: unknown; readonly fault?: string }> {
  try {
    return { candidate: await put() };
  } catch (thrown) {
    return { fault: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** An answer whose very properties throw, or whose input cannot be copied, is no answer either. */
function attemptCheck(candidate: unknown, request: ApprovalRequest): ReturnType<typeof checkAnswer> {
  try {
    return checkAnswer(candidate, request);
  } catch {
    return { ok: false, why: "it cannot be read" };
  }
}

function expiry(clock: Clock, timeoutMs: number | undefined): { expiresAt?: string } {
  return timeoutMs === undefined ? {} : { expiresAt: new Date(clock.now() + timeoutMs).toISOString() };
}

/** A frozen copy as plain data, so that it can cross a wire and no asker can change what the others see. */
function sealed(request: ApprovalRequest): ApprovalRequest {
  try {
    return deepFreeze(JSON.parse(JSON.stringify(request)) as ApprovalRequest);
  } catch {
    return fail(
      "validation_failed",
      "An approval request must be plain data.",
      "Leave functions, cycles and BigInts out of the input and the display.",
    );
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) deepFreeze(item);
  return Object.freeze(value);
}

const refused = (reason: (Receipt & { accepted: false })["reason"], message: string): Receipt => ({
  accepted: false,
  reason,
  message,
});
