import type { ApprovalRecord, Toolbox } from "@haft/core/adapter";
import type { Machine } from "@haft/core/executor";
import type { UndoJournal } from "@haft/core/host";
import type { Decision, Mode, ServerSettings } from "@haft/core/policy";
import { createOffers, type Offers } from "@haft/core/registry";
import { type AgentRef, fail, type ToolError } from "@haft/core/tool";
import type { HostJournal, UndoScope } from "@haft/journal";
import type { McpManager } from "@haft/mcp";
import type { RunHooks } from "@haft/plugins/hook";
import type { SessionBudget } from "./agents/spending.ts";
import type { Approvals } from "./approval/open-approvals.ts";
import { checkCalls, checkNarrowing, checkToolCall } from "./check-options.ts";
import { deduplicateCalls } from "./deduplicate-calls.ts";
import { type Narrowed, type NarrowedPorts, narrow } from "./derive-agent.ts";
import type { EventHub } from "./event-hub.ts";
import type { Extensions } from "./extend/open-extensions.ts";
import type { formatsOf } from "./formats.ts";
import type { AgentRole, Haft } from "./haft.ts";
import type { InitialToolList } from "./mcp/initial-tool-list.ts";
import { type ToolWaits, toolWaits } from "./mcp/tool-waits.ts";
import type { Notice } from "./notice.ts";
import { prepareCommands, prepareScripts, prepareSearch } from "./prepare.ts";
import type { BrowserMaker } from "./session/open-web.ts";
import type { SessionLink } from "./session/sessions.ts";
import { checkBound } from "./setup/bounded.ts";
import { offersIn } from "./setup/dialect.ts";
import type { ToolSwitches } from "./setup/offering.ts";

/** The place of a narrowed Haft in the session's agent tree. */
export interface Adoption {
  readonly ports: NarrowedPorts;
  attach(parts: Parts): void;
  adopt(agent: AgentRef): Adoption;
}

/** The choices that a person may change in the middle of a session. */
export interface SessionControl {
  setMode(mode: Mode): Promise<void>;
  setModel(name: string): void;
  setTools(switches: ToolSwitches): void;
}

export interface Parts extends Narrowed {
  readonly approvals: Approvals;
  /** Calls that a framework's own approval parts were asked about. */
  readonly asked: ApprovalRecord;
  readonly mcp: McpManager;
  readonly initialToolList: InitialToolList;
  readonly hub: EventHub;
  /** Tells the model that independent calls may be made in one turn. */
  readonly batching: boolean;
  /** Makes the tools in the formats of model APIs. Absent: nobody needs them. */
  readonly formats?: typeof formatsOf;
  /** A framework asks people through its own approval: no asker function was given. */
  readonly hostAsks: boolean;
  readonly notices: () => readonly Notice[];
  readonly runHooks: RunHooks;
  instructions(): Promise<string>;
  readonly link?: SessionLink;
  readonly spending: SessionBudget;
  readonly jobs: Haft["jobs"];
  /** For a worker, which runs calls of many sessions. */
  readonly browserFor?: BrowserMaker;
  readonly extensions: Extensions;
  model?(): string | undefined;
  readonly role?: AgentRole;
  /** Changes by people; absent in a narrowed Haft. */
  readonly control?: SessionControl;
  readonly serving: ServerSettings;
  readonly compaction: Haft["compaction"];
  /** The session's record. */
  readonly path?: string;
  readonly journal?: HostJournal;
  /** The journal in the options. It is used instead. */
  readonly ownJournal?: UndoJournal;
  /** Adds a narrowed Haft to the agent tree, so that the agents that it starts are placed below it. */
  adopt?(agent: AgentRef): Adoption;
  close(): Promise<void>;
  /** Whether closing has begun. */
  isOver(): boolean;
}

/** Creates the public API over the parts. */
export function createApi(parts: Parts): Haft {
  const { machine, executor, approvals, hub } = parts;
  const { offers, shortOffers, withheldOffers } = offersOf(parts);
  const { whenKnown, patient } = toolWaits(parts.mcp, machine.registry);
  const run = runWhenKnown(executor, whenKnown);
  const call = deduplicateCalls(run, hub);
  const toolbox = toolboxOf(parts, offers, withheldOffers);

  return {
    session: { id: machine.session.id, ...(parts.path === undefined ? {} : { path: parts.path }) },
    get cwd() {
      return machine.cwd();
    },
    mailbox: parts.mailbox,
    ...(parts.link ? { link: parts.link } : {}),
    ...(machine.ports.agents ? { agents: machine.ports.agents } : {}),
    get mode() {
      return parts.policy().mode;
    },
    get rules() {
      return parts.policy().rules;
    },
    registry: machine.registry,
    mcp: parts.mcp,
    get notices() {
      return parts.notices();
    },
    serving: parts.serving,
    compaction: parts.compaction,
    runHooks: parts.runHooks,
    instructions: parts.instructions,
    metered: (model) => parts.spending.metered(model),
    get spent() {
      return parts.spending.spent();
    },
    jobs: parts.jobs,
    get model() {
      return parts.model?.();
    },
    ...(parts.role ? { role: parts.role } : {}),
    setMode: async (mode) => controlOf(parts).setMode(mode),
    setModel: (name) => controlOf(parts).setModel(name),
    setTools: (switches) => controlOf(parts).setTools(switches),
    for: parts.formats?.(toolbox, parts) ?? withoutFormats,
    toolbox,
    call,
    skills: parts.extensions.skills.commands((tool, input) => call(tool, input)),
    open: (options) => patient(executor.open(options), options),
    run,
    async offer({ deferred = false } = {}) {
      await parts.initialToolList.ready(parts.mcp);
      await parts.extensions.refresh();
      return (deferred === "withheld" ? (withheldOffers ?? offers) : deferred ? shortOffers : offers).current();
    },
    async discover() {
      await Promise.all([parts.extensions.discover(), parts.mcp.relist()]);
    },
    prepare: () => prepareFirst(parts),
    async explain(tool, input) {
      checkToolCall("explain", tool);
      await whenKnown([{ tool }]);
      return executor.explain({ id: "explain", tool, input });
    },
    pending: () => approvals.pending(),
    answer: (id, answer, by = "host") => approvals.answer(id, answer, by),
    undo: (id) => journalIn(parts).undo(undoScope(parts, id)),
    redo: (id) => journalIn(parts).redo(undoScope(parts, id)),
    on: (listener, types) => hub.on(listener, types),
    with: (narrowing) => narrowed(parts, narrowing),
    [Symbol.asyncDispose]: () => parts.close(),
  };
}

/** The tool lists for models: whole, with deferred definitions, and with these withheld. */
function offersOf({ machine, batching }: Parts) {
  const { registry, available, deferral } = machine;
  const common = { registry, available, batching };
  const context = () => machine.offerContext();
  const inNames = (made: Offers): Offers => offersIn(made, machine);
  const offers = inNames(createOffers({ ...common, context: () => withoutCatalog(context()) }));
  const shortOffers = deferral ? inNames(createOffers({ ...common, context, deferral })) : offers;
  const withheldOffers = deferral ? inNames(createOffers({ ...common, context, deferral, withheld: true })) : undefined;
  return { offers, shortOffers, withheldOffers };
}

const runWhenKnown =
  (executor: Parts["executor"], whenKnown: ToolWaits["whenKnown"]): Haft["run"] =>
  // Not async, which saves one promise per call.
  (calls, options) => {
    try {
      checkCalls(calls);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
    const wait = whenKnown(calls, options?.signal);
    return wait ? wait.then(() => executor.run(calls, options)) : executor.run(calls, options);
  };

/** Prepares what first calls need. */
function prepareFirst({ machine, policy, isOver }: Parts): void {
  const { registry, available, deferral, agent, ports } = machine;
  prepareCommands(ports.processes, { policy, cwd: machine.cwd(), isOver });
  const scripts = registry.get("REPL");
  if (scripts && available(scripts, { ...machine.offerContext(), tools: registry.names() }) === true)
    prepareScripts(ports.scripts, isOver);
  if (deferral) prepareSearch((pause) => deferral.prepare(registry, agent.id, pause), isOver);
}

function narrowed(parts: Parts, narrowing: Parameters<Haft["with"]>[0]): Haft {
  checkNarrowing(narrowing);
  if (narrowing.effects) checkBound(narrowing.effects);
  const place = parts.adopt?.(narrowing.agent ?? parts.machine.agent);
  const own = place ? { adopt: (agent: AgentRef) => place.adopt(agent) } : {};
  const { control: _, role: __, ...shared } = parts;
  const child: Parts = { ...shared, ...narrow(parts, narrowing, place?.ports), ...own, close: async () => {} };
  place?.attach(child);
  return createApi(child);
}

/** Removes the catalog: if the list has every definition, there is nothing to load. */
const withoutCatalog = ({ ports, ...context }: ReturnType<Machine["offerContext"]>) => ({
  ...context,
  ports: new Set([...ports].filter((port) => port !== "catalog")),
});

/** The toolbox that adapters use. */
function toolboxOf(
  { machine: { deferral, agent }, executor, hostAsks, asked }: Parts,
  offers: Offers,
  withheld?: Offers,
): Toolbox {
  return {
    offer: () => offers.now(),
    host: { asks: hostAsks, record: asked },
    ...(deferral && withheld
      ? {
          deferral: {
            offer: () => withheld.now(),
            loader: deferral.loader,
            loaded: () => deferral.loaded(agent.id),
          },
        }
      : {}),
    open: (options) => executor.open(options),
    async decide(request) {
      const { decision, contents, error } = await executor.explain(request);
      return decision ? { ...decision, ...(contents ? { contents } : {}) } : undecided(error);
    },
  };
}

const withoutFormats = (): never =>
  fail("tool_unavailable", "This Haft has no model API formats.", "Create one with createHaft.");

const journalIn = ({ journal, ownJournal }: Parts): HostJournal | UndoJournal =>
  ownJournal ??
  journal ??
  fail("tool_unavailable", "Undo is not available here.", "Create Haft with a state folder and its journal.");

const controlOf = ({ control }: Parts): SessionControl =>
  control ??
  fail("denied_by_mode", "A Haft of an agent cannot change the session.", "Change the Haft that it was derived from.");

/** Limits undo to this session's call of that id, if it made one. Other sessions may have changed files since, and may use the same ids. */
function undoScope(parts: Parts, call: string | undefined): UndoScope {
  if (call === undefined) return {};
  const session = parts.machine.session.id;
  const journal = journalIn(parts);
  if (!("history" in journal)) return { call, session };
  const isOf = (id: string): boolean => id === call || id.startsWith(`${call}.`);
  const isOwn = journal.history().entries.some((entry) => entry.session === session && isOf(entry.call));
  return isOwn ? { call, session } : { call };
}

/** The decision for a call that cannot be understood: refused with the same reason that the pipeline would give. */
const undecided = (error: ToolError | undefined): Decision => ({
  decision: "deny",
  reason: error?.message ?? "No decision could be made about the call.",
  ...(error ? { code: error.code } : {}),
  trace: [],
  suggestions: [],
  grant: { effects: [], holes: [] },
});
