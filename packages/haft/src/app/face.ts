import { randomUUID } from "node:crypto";
import { type ApprovalRecord, aiSdk, anthropic, type Toolbox } from "@haft/core/adapter";
import type { CallOutcome, Machine } from "@haft/core/executor";
import type { Decision, ServerSettings } from "@haft/core/policy";
import { createOffers } from "@haft/core/registry";
import { fail, failure, type Result, type ToolError, toJson } from "@haft/core/tool";
import type { HostJournal, JobStore, McpManager, RunHooks } from "@haft/tools";
import type { Approvals } from "./approval/open-approvals.ts";
import type { EventHub } from "./event-hub.ts";
import type { FormatOptions, Formats } from "./formats.ts";
import type { CallOptions, Haft } from "./haft.ts";
import { FIRST_OFFER_MS } from "./mcp/open-mcp.ts";
import { toolWaits } from "./mcp/tool-waits.ts";
import { type Narrowed, narrow } from "./narrow.ts";
import type { Notice } from "./notice.ts";
import { prepareCommands } from "./prepare.ts";

export interface Parts extends Narrowed {
  readonly approvals: Approvals;
  /** What a framework's own approval parts were asked. */
  readonly asked: ApprovalRecord;
  readonly mcp: McpManager;
  readonly hub: EventHub;
  /** Frameworks with an approval of their own ask people through it: no function was given that answers. */
  readonly hostAsks: boolean;
  readonly notices: () => readonly Notice[];
  readonly runHooks: RunHooks;
  readonly jobs: JobStore;
  readonly model?: string;
  readonly serving: ServerSettings;
  /** The session's record. */
  readonly path?: string;
  readonly journal?: HostJournal;
  close(): Promise<void>;
  /** Whether it has begun to close. */
  isOver(): boolean;
}

/** Results of calls by id that are kept, so that a repeated call is answered and not done twice. */
const REMEMBERED_CALLS = 1_000;

/** The public face over the parts. */
export function faceOf(parts: Parts): Haft {
  const { machine, executor, approvals, hub } = parts;
  const { registry, available, deferral } = machine;
  const offers = createOffers({ registry, available, context: () => withoutCatalog(machine.offerContext()) });
  const shortOffers = deferral
    ? createOffers({ registry, available, context: () => machine.offerContext(), deferral })
    : offers;
  const withheldOffers = deferral
    ? createOffers({ registry, available, context: () => machine.offerContext(), deferral, withheld: true })
    : undefined;
  let isFirstOffer = true;

  const { whenKnown, patient } = toolWaits(parts.mcp, registry);

  const run: Haft["run"] = (calls, options) => {
    const wait = whenKnown(calls, options?.signal);
    return wait ? wait.then(() => executor.run(calls, options)) : executor.run(calls, options);
  };

  const done = new Map<string, { readonly key: string; readonly outcome: Promise<CallOutcome> }>();

  async function call(tool: string, input: unknown, { id = randomUUID(), signal, onUpdate }: CallOptions = {}) {
    const key = toJson([tool, input]);
    const before = done.get(id);
    if (before && before.key !== key) return differs(id);
    if (before) return (await before.outcome).result;
    const silence = onUpdate
      ? hub.on((event) => {
          if (event.type === "tool:execution:progress" && event.call.id === id) onUpdate(event.progress);
        })
      : undefined;
    const outcome = run([{ id, tool, input }], signal ? { signal } : {}).then(([only]) => only!);
    done.set(id, { key, outcome });
    const [oldest] = done.keys();
    if (done.size > REMEMBERED_CALLS && oldest !== undefined) done.delete(oldest);
    try {
      return (await outcome).result;
    } finally {
      silence?.();
    }
  }

  const toolbox: Toolbox = {
    offer: () => offers.now(),
    ...(deferral && withheldOffers
      ? {
          deferral: {
            offer: () => withheldOffers.now(),
            loader: deferral.loader,
            loaded: () => deferral.loaded(machine.agent.id),
          },
        }
      : {}),
    open: (options) => executor.open(options),
    async decide(request) {
      const { decision, contents, error } = await executor.explain(request);
      return decision ? { ...decision, ...(contents ? { contents } : {}) } : undecided(error);
    },
  };

  function format<F extends keyof Formats>(name: F, options?: FormatOptions[F]): Formats[F] {
    const known: { [K in keyof Formats]: () => Formats[K] } = {
      anthropic: () => anthropic(toolbox, options as FormatOptions["anthropic"]),
      "ai-sdk": () => aiSdk(toolbox, { hostAsks: parts.hostAsks, record: parts.asked }),
    };
    if (Object.hasOwn(known, name)) return known[name]();
    return fail(
      "validation_failed",
      `There is no format "${name}".`,
      `Known formats: ${Object.keys(known).join(", ")}.`,
    );
  }

  return {
    session: { id: machine.session.id, ...(parts.path === undefined ? {} : { path: parts.path }) },
    cwd: machine.cwd(),
    get mode() {
      return parts.policy().mode;
    },
    registry: machine.registry,
    mcp: parts.mcp,
    get notices() {
      return parts.notices();
    },
    serving: parts.serving,
    runHooks: parts.runHooks,
    jobs: parts.jobs,
    ...(parts.model === undefined ? {} : { model: parts.model }),
    for: format,
    call,
    open: (options) => patient(executor.open(options), options),
    run,
    async offer({ deferred = false } = {}) {
      if (isFirstOffer) await parts.mcp.settled(FIRST_OFFER_MS);
      isFirstOffer = false;
      return (deferred ? shortOffers : offers).current();
    },
    prepare() {
      prepareCommands(machine.ports.processes, {
        policy: parts.policy,
        cwd: machine.cwd(),
        isOver: parts.isOver,
      });
    },
    async explain(tool, input) {
      await whenKnown([{ tool }]);
      return executor.explain({ id: "explain", tool, input });
    },
    pending: () => approvals.pending(),
    answer: (id, answer, by = "host") => approvals.answer(id, answer, by),
    undo: (id) => journalIn(parts).undo(undoScope(id)),
    redo: (id) => journalIn(parts).redo(undoScope(id)),
    on: (listener, types) => hub.on(listener, types),
    with: (narrowing) => faceOf({ ...parts, ...narrow(parts, narrowing), close: async () => {} }),
    [Symbol.asyncDispose]: () => parts.close(),
  };
}

/** Where every definition is in the list, there is nothing to load. */
const withoutCatalog = ({ ports, ...context }: ReturnType<Machine["offerContext"]>) => ({
  ...context,
  ports: new Set([...ports].filter((port) => port !== "catalog")),
});

const journalIn = ({ journal }: Parts): HostJournal =>
  journal ??
  fail("tool_unavailable", "Nothing is kept of what calls change.", "Create Haft with a state folder and its journal.");

const undoScope = (call: string | undefined) => (call === undefined ? {} : { call });

/** A call that cannot even be understood is refused with the reason that the pipeline would give. */
const undecided = (error: ToolError | undefined): Decision => ({
  decision: "deny",
  reason: error?.message ?? "The call could not be decided.",
  ...(error ? { code: error.code } : {}),
  trace: [],
  suggestions: [],
  grant: { effects: [], holes: [] },
});

const differs = (id: string): Result =>
  failure({
    code: "conflict",
    message: `The call id "${id}" was already used for another call.`,
    hint: "Give every call an id of its own; repeat an id only with the same tool and input.",
  });
