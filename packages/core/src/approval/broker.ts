import type { Decision } from "../policy/index.ts";
import { type Clock, fail } from "../tool/index.ts";
import { checkAnswer, type Receipt } from "./answer.ts";
import type { Outcome } from "./outcome.ts";
import type { ApprovalRequest, Asker, PendingApproval } from "./request.ts";
import type { ApprovalStore } from "./store.ts";

/** Somebody who can be asked: a terminal, a web page, a program. `by` later reports the name. */
export interface NamedAsker {
  readonly name: string;
  readonly ask: Asker;
}

/** The askers, the timeout, and the store for questions. */
export interface BrokerOptions {
  /** All of them are asked at once; the first valid answer counts. */
  readonly askers?: readonly NamedAsker[];
  /** The host answers through `answer`, so a request waits even when no asker has one. Default false. */
  readonly hostAnswers?: boolean;
  readonly clock: Clock;
  /** A new id, never given out before. */
  newId(): string;
  /** Timeout in milliseconds, after which an unanswered request ends as `expired`. Default: no timeout. */
  readonly timeoutMs?: number;
  /** Stores every question before anybody is asked, and delivers answers from other processes. */
  readonly store?: ApprovalStore;
  /** Called when an asker threw or returned an invalid answer: then nobody was asked, and its program has a bug. */
  readonly onFault?: (asker: string, why: string) => void;
}

/** A request of a call: what its call knows while it waits. */
export interface AskOptions {
  /** `start`: a stored yes is used up by `useUp`, and not when it is given. */
  readonly until?: "start";
  /** Whether the policy allows the call by now, because of a grant that came after the question. */
  readonly isAllowed?: () => boolean;
}

/** A request before it has an id. */
export type NewRequest = Omit<ApprovalRequest, "id" | "expiresAt">;

/** A request that somebody could be asked, or its end. */
export type BrokerEvent =
  | { readonly type: "asked"; readonly pending: PendingApproval }
  | { readonly type: "settled"; readonly request: ApprovalRequest; readonly outcome: Outcome };

/** Sends a question to everybody who may answer it and returns the first valid answer. */
export interface Broker {
  /**
   * Asks, and resolves when the request is settled; no asker can make it reject. Waiting consumes only the request's
   * own time. `asked` gets the request, with its id, before anybody can answer it. It is not called if nobody can be
   * asked, and its failure is ignored.
   *
   * Rejects with HaftError `validation_failed` when the request is not plain data, and with the store's own error when
   * the request could not be stored, before anybody sees it, or when a yes could not be recorded.
   */
  ask(
    request: NewRequest,
    decision: Decision,
    signal?: AbortSignal,
    asked?: (request: ApprovalRequest) => void,
    options?: AskOptions,
  ): Promise<Outcome>;
  /** Answers each waiting request whose call is allowed by now. Call it after a grant. */
  reconsider(): void;
  /**
   * Uses up the yes to a call, right before it starts or when it will never start. If this fails, the call must not start:
   * somebody else has used the yes.
   */
  useUp(requestId: string): void | Promise<void>;
  /** The requests that wait for an answer now, oldest first. */
  pending(): readonly PendingApproval[];
  /** An answer from a host's own queue. `callId`, if given, must be the request's. */
  answer(requestId: string, answer: unknown, by: string, callId?: string): Receipt;
  /** Reports every request and its end, until the returned function is called. A listener's failure is ignored. */
  watch(listener: (event: BrokerEvent) => void): () => void;
  /**
   * From now on the host does not answer. Requests that wait only for the host end as unattended; stored ones can be
   * answered later. An asker that is already thinking may still answer.
   */
  close(): void;
}

/** Limit for remembered settled ids, so that a late answer gets "already settled" instead of "unknown". */
const REMEMBERED = 1000;

interface Waiting {
  readonly pending: PendingApproval;
  readonly isAllowed: AskOptions["isAllowed"];
  settle(outcome: Outcome): void;
}

/** Makes a broker. Its requests and memory are its own: two brokers in one process do not share anything. */
export const createBroker = (options: BrokerOptions): Broker => new QuestionBroker(options);

/** Its public functions are bound, so that they can be taken apart. */
class QuestionBroker implements Broker {
  readonly #options: BrokerOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #settled = new Set<string>();
  readonly #listeners = new Set<(event: BrokerEvent) => void>();
  readonly #asking = new Set<string>();
  #isClosed = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  readonly ask: Broker["ask"] = async (draft, decision, signal, asked, options = {}) => {
    const { askers = [], clock, timeoutMs, store } = this.#options;
    const fresh = sealed({ ...draft, id: this.#options.newId(), ...expiry(clock, timeoutMs) });
    if (signal?.aborted) return { status: "cancelled", requestId: fresh.id };
    const opened = store?.open(fresh) ?? { id: fresh.id };
    const { id: requestId, given } = opened instanceof Promise ? await opened : opened;
    if (signal?.aborted) return this.#endUnasked({ status: "cancelled", requestId });
    const request = requestId === fresh.id ? fresh : Object.freeze({ ...fresh, id: requestId });
    if (this.#waiting.has(requestId) || this.#settled.has(requestId))
      fail("validation_failed", `The request id "${requestId}" was used twice.`, "Make newId return fresh ids.");
    const early = given && attemptCheck(given.answer, request);
    const isAlone = askers.length === 0 && (this.#isClosed || !this.#options.hostAnswers);
    if (isAlone && !early?.ok) return this.#endUnasked(this.#unattended(requestId));
    return new Promise((resolve, reject) => {
      const over = this.#open({ request, decision }, { signal, ...options, resolve, reject });
      quietly(() => asked?.(request));
      this.#tell({ type: "asked", pending: { request, decision } });
      if (timeoutMs !== undefined) {
        const expire = () => this.#waiting.get(requestId)?.settle({ status: "expired", requestId });
        // A clock that fails must not leave a request open forever.
        clock.sleep(timeoutMs, over).then(expire, expire);
      }
      // Do not ask again if the answer came while no process waited.
      if (given && early?.ok) this.answer(requestId, given.answer, given.by);
      else void this.#askAll(request, over);
    });
  };

  /** Lets a request wait for its outcome. The signal aborts when it is settled. */
  #open(
    pending: PendingApproval,
    {
      signal,
      until,
      isAllowed,
      resolve,
      reject,
    }: Pick<PromiseWithResolvers<Outcome>, "resolve" | "reject"> &
      AskOptions & { readonly signal: AbortSignal | undefined },
  ): AbortSignal {
    const { request } = pending;
    const requestId = request.id;
    const over = new AbortController();
    const settle = (outcome: Outcome): void => {
      if (!this.#waiting.delete(requestId)) return;
      // A stored question may be asked again, under its id.
      if (outcome.status !== "unattended") this.#remember(requestId);
      signal?.removeEventListener("abort", onCancel);
      const isYes = outcome.status === "answered" && outcome.answer.behavior === "allow";
      const stored = this.#attemptSettle(requestId, outcome, isYes ? until : undefined);
      over.abort();
      if (stored) stored.then(() => resolve(outcome), isYes ? reject : () => resolve(outcome));
      else resolve(outcome);
      this.#tell({ type: "settled", request, outcome });
    };
    const onCancel = () => settle({ status: "cancelled", requestId });
    this.#waiting.set(requestId, { pending, isAllowed, settle });
    this.#options.store?.listen(requestId, (elsewhere) => this.answer(requestId, elsewhere.answer, elsewhere.by));
    signal?.addEventListener("abort", onCancel, { once: true });
    return over.signal;
  }

  /** Asks everybody at the same time. When all askers have given up and there is no host queue, the request is unattended. */
  async #askAll(request: ApprovalRequest, signal: AbortSignal): Promise<void> {
    const { askers = [], onFault, hostAnswers } = this.#options;
    this.#asking.add(request.id);
    await Promise.all(
      askers.map(async ({ name, ask: put }) => {
        const { candidate, fault } = await attempt(() => put(request, signal));
        // An answer after the end is late, not wrong.
        if (signal.aborted) return;
        const receipt = candidate == null ? undefined : this.answer(request.id, candidate, name);
        const why =
          fault ?? (receipt?.accepted === false && receipt.reason === "invalid" ? receipt.message : undefined);
        if (why !== undefined) quietly(() => onFault?.(name, why));
      }),
    );
    this.#asking.delete(request.id);
    if (!hostAnswers || this.#isClosed) this.#waiting.get(request.id)?.settle(this.#unattended(request.id));
  }

  readonly answer: Broker["answer"] = (requestId, candidate, by, callId) => {
    const open = this.#waiting.get(requestId);
    if (!open)
      return this.#settled.has(requestId)
        ? refused("already_settled", `The request "${requestId}" is already settled; this answer has no effect.`)
        : refused("unknown_request", `There is no request "${requestId}".`);
    const { request } = open.pending;
    if (callId !== undefined && callId !== request.callId)
      return refused("other_call", `The request "${requestId}" belongs to another call.`);
    const checked = attemptCheck(candidate, request);
    if (!checked.ok) return refused("invalid", `This does not answer "${requestId}": ${checked.why}.`);
    open.settle({ status: "answered", requestId, answer: checked.answer, by });
    return { accepted: true };
  };

  readonly reconsider: Broker["reconsider"] = () => {
    for (const [requestId, { isAllowed, settle }] of [...this.#waiting])
      if (isAllowed?.()) settle({ status: "answered", requestId, answer: { behavior: "allow" }, by: "rule" });
  };

  readonly useUp: Broker["useUp"] = (requestId) => this.#options.store?.useUp(requestId);

  readonly pending = (): readonly PendingApproval[] => [...this.#waiting.values()].map(({ pending }) => pending);

  readonly watch: Broker["watch"] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly close = (): void => {
    this.#isClosed = true;
    for (const [requestId, { settle }] of [...this.#waiting])
      if (!this.#asking.has(requestId)) settle(this.#unattended(requestId));
  };

  /** Ends a request that nobody can be asked now; a stored question stays for a later answer. */
  #endUnasked(outcome: Outcome): Outcome {
    this.#attemptSettle(outcome.requestId, outcome)?.catch(() => {});
    return outcome;
  }

  #attemptSettle(requestId: string, outcome: Outcome, until?: "start"): Promise<void> | undefined {
    let stored: void | Promise<void>;
    quietly(() => {
      stored = this.#options.store?.settle(requestId, outcome, until);
    });
    return stored! instanceof Promise ? stored : undefined;
  }

  #unattended(requestId: string): Outcome {
    return { status: "unattended", requestId, ...(this.#options.store ? { kept: true } : {}) };
  }

  #remember(requestId: string): void {
    this.#settled.add(requestId);
    const [oldest] = this.#settled;
    if (this.#settled.size > REMEMBERED && oldest !== undefined) this.#settled.delete(oldest);
  }

  #tell(event: BrokerEvent): void {
    for (const listener of [...this.#listeners]) quietly(() => listener(event));
  }
}

/** Notifies a listener. Listeners must not change what happens. */
function quietly(tell: () => void): void {
  try {
    tell();
  } catch {
    // The listener's own failure.
  }
}

/** The answer of an asker; one that throws, at once or later, gives no answer. */
async function attempt(
  put: () => Promise<unknown>,
): Promise<{ readonly candidate?: unknown; readonly fault?: string }> {
  try {
    return { candidate: await put() };
  } catch (thrown) {
    return { fault: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** An answer is invalid, too, if its properties throw or its input cannot be copied. */
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
