import type { ToolAgentSettings, ToolNames } from "@haft/core/policy";
import { type AgentRef, type AgentReport, type AgentRequest, type Agents, type Clock, fail } from "@haft/core/tool";
import type { RunHooks } from "@haft/plugins/hook";
import { type Model, withEffort } from "../../agent/index.ts";
import type { Price } from "../../agent/provider/prices.ts";
import { type Adoption, createApi, type Parts } from "../public-api.ts";
import { checkBound } from "../setup/bounded.ts";
import { type AgentParts, childParts, mainParts } from "./child.ts";
import { modelChoice, modelOf } from "./model-choice.ts";
import {
  type AgentNode,
  definitionFor,
  MOST_AGENTS,
  MOST_AT_ONCE,
  MOST_DEPTH,
  type NewNode,
  newNode,
  type Report,
  runAbove,
  snapshot,
} from "./node.ts";
import type { OwnPartsOptions } from "./own-parts.ts";
import { type AgentPlace, finished } from "./place/agent-place.ts";
import type { OpenPlace } from "./place/isolation.ts";
import { budgetProblem, limitError, Pool, tighter } from "./pool.ts";
import { type AgentTree, agentsPort } from "./port/agents-port.ts";
import { Teams } from "./port/teams.ts";
import { createSpending, type SessionBudget, type Spending } from "./spending.ts";
import { createTurns } from "./turns.ts";
import type { AgentDefinition } from "./type/agent-type.ts";
import { endNotice, inPlace, keeperOf, roleOf, skillTexts, systemOf } from "./words.ts";

export interface EngineOptions {
  readonly types: () => ReadonlyMap<string, AgentDefinition>;
  readonly names: ToolNames;
  readonly clock: Clock;
  readonly runHooks: RunHooks;
  /** Opens the hooks and memories of agents' files. */
  readonly own: OwnPartsOptions;
  /** The main agent's model. Absent: no agent can be started. */
  readonly model: string | undefined;
  openModel(name: string): Promise<Model> | Model;
  /** Opens the folder in which an agent works. */
  readonly openPlace: OpenPlace;
  readonly settings: ToolAgentSettings;
  /** Limits of the whole session. */
  readonly budget: { readonly tokens?: number; readonly money?: number };
  readonly prices: Readonly<Record<string, Price>>;
  /** Aliases of models, from the settings. */
  readonly models: Readonly<Record<string, string>>;
  /** Folder of the session. Absent: nothing is written down. */
  readonly dir: string | undefined;
}

/** The agents of a session. */
export interface AgentEngine extends SessionBudget {
  /** Adds the main agent once its Haft exists. */
  attach(parts: Parts): void;
  /** Adds a Haft for the same agent, or for another one that its host runs, which starts agents of its own. */
  adopt(agent: AgentRef): Adoption;
  /** The agents port of the main agent; `undefined` without a model for agents. */
  readonly port: Agents | undefined;
  /** The parts of a session that runs as an agent of this kind. */
  asMain(name: string, parts: Parts, model: string | undefined): Parts;
  /** Changes the main agent's model, which agents inherit. */
  setModel(name: string): void;
  close(): Promise<void>;
}

const MOST_TURNS = 50;
const TOO_DEEP = `Agents can be nested at most ${MOST_DEPTH} levels deep.`;

export const createAgentEngine = (options: EngineOptions): AgentEngine => new SessionAgents(options);

/** An agent about to work: its own parts, its place and the signals that end it. */
interface Launched {
  readonly node: AgentNode;
  readonly request: AgentRequest;
  readonly report: Report;
  readonly child: AgentParts;
  readonly place: AgentPlace;
  readonly own: Parts;
  readonly signal: AbortSignal;
  /** Fires at the timeout. */
  readonly late: AbortSignal;
}

class SessionAgents implements AgentEngine, AgentTree {
  readonly main: NewNode;
  readonly all: AgentNode[] = [];
  readonly teams: Teams;
  readonly clock: Clock;
  readonly types: EngineOptions["types"];
  readonly port: Agents | undefined;
  readonly #options: EngineOptions;
  readonly #spending: Spending;
  readonly #turnOn = createTurns(MOST_AT_ONCE);
  #runHooks: RunHooks;
  #closeMain = async (): Promise<void> => {};

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#runHooks = options.runHooks;
    this.#spending = createSpending(options.prices);
    this.teams = new Teams(options.dir);
    this.clock = options.clock;
    this.types = options.types;
    const limits = { ...options.budget, spawns: options.settings.maxAgents ?? MOST_AGENTS };
    this.main = newNode({ id: "main" }, { pool: new Pool("this session", limits), model: options.model });
    this.port = this.#portFor(this.main);
  }

  attach(parts: Parts): void {
    this.main.attach(parts);
  }

  readonly adopt = (ref: AgentRef): Adoption => this.#adopt(this.main, ref);

  asMain(name: string, parts: Parts, model: string | undefined): Parts {
    const { names, own, models } = this.#options;
    const { main } = this;
    const type = definitionFor(main, name, this.types());
    if (type.effects) checkBound(type.effects, names);
    main.type = type;
    main.pool.tighten(type.budget);
    const agent = mainParts(parts, type, { names, own, runHooks: parts.runHooks, pool: main.pool });
    this.#runHooks = agent.runHooks;
    this.#closeMain = agent.close;
    const wanted = model === undefined ? modelOf(type, models) : undefined;
    if (wanted !== undefined) parts.control?.setModel(wanted);
    return { ...agent.parts, ...roleOf(type, parts), runHooks: agent.runHooks };
  }

  metered(model: Model): Model {
    this.#spending.requirePrice(this.main.pool, model.name);
    return this.#spending.paid(model, this.main.pool);
  }

  spent(): ReturnType<SessionBudget["spent"]> {
    return this.#spending.of(this.main.pool);
  }

  setModel(name: string): void {
    this.main.model = name;
  }

  close(): Promise<void> {
    return this.#stopBelow(this.main, "the session has ended").finally(this.#closeMain);
  }

  async start(parent: AgentNode, request: AgentRequest): Promise<AgentReport> {
    const { settings, models, names } = this.#options;
    const type = definitionFor(parent, request.type, this.types());
    const model = modelChoice({ ...settings, models }, parent.model, type, request.model);
    const effects = [type.effects, request.effects].filter((one) => one !== undefined);
    for (const bound of effects) checkBound(bound, names);
    const wrong = budgetProblem(request.budget ?? {});
    if (wrong) fail("invalid_input", wrong, "Correct the budget.");
    if (parent.depth >= MOST_DEPTH) fail("limit_reached", TOO_DEEP, "Do this part yourself.");
    if (request.name !== undefined && this.#isWorking(request.name))
      fail("invalid_input", `An agent named ${request.name} is already running.`, "Choose another name.");
    const limits = tighter(
      tighter(type.budget, request.budget ?? {}),
      settings.maxToolCalls === undefined ? {} : { calls: settings.maxToolCalls },
    );
    const short = parent.pool.take("spawns");
    if (short) throw limitError(short);
    const id = parent.ref.id === "main" ? `a${++parent.started}` : `${parent.ref.id}.${++parent.started}`;
    const called = request.name ?? type.name;
    const pool = new Pool(`the agent ${called} (${id})`, limits, parent.pool);
    this.#spending.requirePrice(pool, model);
    const path = [...(parent.ref.path ?? []), called];
    const ref = {
      ...{ id, name: called, parent: parent.ref.id, path, model },
      ...(request.call ? { call: request.call.id } : {}),
      ...(type.color ? { color: type.color } : {}),
    };
    const node = newNode(ref, { parent, type, pool, model });
    if (request.team !== undefined) node.team = this.teams.named(request.team);
    return this.#launch(node, { ...request, effects: effects.flat() }, effects);
  }

  #isWorking(name: string): boolean {
    return this.all.some(({ run }) => run && run.report.name === name && run.report.status === "running");
  }

  async #launch(node: NewNode, request: AgentRequest, effects: EffectLists): Promise<AgentReport> {
    const { names, settings, own: ownOptions } = this.#options;
    const stop = new AbortController();
    const background = request.background ?? node.type!.background ?? false;
    const report = newReport(node, request, background, this.clock.now());
    const above = node.parent && runAbove(node.parent)?.signal;
    const ends = [stop.signal, above, background ? undefined : request.signal];
    const signal = AbortSignal.any(ends.filter((one) => one !== undefined));
    const noAgents = node.depth < MOST_DEPTH ? node.pool.shortage("spawns", 1)?.message : TOO_DEEP;
    const child = childParts(node, request, effects, {
      ...{ names, settings, runHooks: this.#runHooks, signal, own: ownOptions },
      ...(noAgents === undefined ? { port: this.#portFor(node) } : { noAgents }),
      adopt: (ref) => this.#adopt(node, ref),
    });
    const place = await this.#options.openPlace({ node, request, effects });
    const own = place.move(child.parts);
    node.attach(own);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    node.run = { report, ended, signal, stop: (why) => stop.abort(new DOMException(why, "AbortError")) };
    this.all.push(node);
    const timeout = this.#timeout(request.timeoutMs ?? settings.timeoutMs);
    const performed = this.#perform({ node, request, report, child, place, own, signal, late: timeout.signal })
      .finally(timeout.cancel)
      .finally(resolve);
    if (background) void performed.then(() => node.parent?.parts().mailbox.put(endNotice(report)));
    else await performed;
    return snapshot(report);
  }

  #timeout(ms: number | undefined): { readonly signal: AbortSignal; cancel(): void } {
    const late = new AbortController();
    const timer = new AbortController();
    if (ms !== undefined)
      this.clock.sleep(ms, timer.signal).then(
        () => late.abort(new DOMException("its timeout was reached", "AbortError")),
        () => {},
      );
    return { signal: late.signal, cancel: () => timer.abort() };
  }

  async #perform(launched: Launched): Promise<void> {
    const { node, report, signal, child, place } = launched;
    let free = (): void => {};
    try {
      free = await this.#turnOn(node.depth, signal);
      await this.#work(launched);
    } catch (thrown) {
      report.status = signal.aborted ? "stopped" : "failed";
      report.why = signal.aborted ? "it was stopped" : thrown instanceof Error ? thrown.message : String(thrown);
    } finally {
      free();
      await child.close();
      // No agent is left to receive results from the background agents that it started.
      await this.#stopBelow(node, "the agent that started it has ended");
      report.text = place.outward?.text(report.text) ?? report.text;
      Object.assign(report, await finished(place));
      report.tokens = node.pool.spent.tokens;
      report.durationMs = this.clock.now() - report.startedAt;
    }
  }

  async #work({ node, request, report, child, place, own, signal, late }: Launched): Promise<void> {
    const type = node.type!;
    const haft = createApi(own);
    const opened = await this.#options.openModel(node.model!);
    const model = withEffort(this.#spending.paid(opened, node.pool, node.model), type.effort);
    const instructions = type.withoutInstructions ? "" : await haft.instructions();
    const skills = await skillTexts(own.machine.ports.skills, type.skills);
    const system = systemOf(type, request, haft.cwd, [...skills, instructions], place.moved);
    const { work } = await import("./work.ts");
    await work({
      ...{ node, report, haft, model, runHooks: child.runHooks, system, signal, late },
      request: inPlace(request, place),
      maxTurns: request.maxTurns ?? type.maxTurns ?? MOST_TURNS,
      keep: keeperOf(this.#options.dir, node.ref.id),
    });
  }

  async #stopBelow(node: AgentNode, why: string): Promise<void> {
    const isBelow = ({ ref }: AgentNode) => node === this.main || ref.id.startsWith(`${node.ref.id}.`);
    const open = this.all.filter((one) => isBelow(one) && one.run?.report.status === "running");
    for (const { run } of open) run?.stop(why);
    await Promise.all(open.map(({ run }) => run?.ended));
  }

  #portFor(node: AgentNode): Agents | undefined {
    const { model, settings } = this.#options;
    return model === undefined && settings.model === undefined ? undefined : agentsPort(this, node);
  }

  #adopt(parent: AgentNode, ref: AgentRef): Adoption {
    const node = newNode(ref, { parent, pool: parent.pool, model: parent.model });
    const agents = this.#portFor(node);
    return { ports: agents ? { agents } : {}, attach: node.attach, adopt: (next) => this.#adopt(node, next) };
  }
}

type EffectLists = readonly (readonly string[])[];

const newReport = (node: AgentNode, request: AgentRequest, background: boolean, startedAt: number): Report => ({
  ...{ id: node.ref.id, type: node.type!.name, description: request.description, model: node.model!, background },
  ...{ status: "running", text: "", calls: 0, failedCalls: 0, tokens: 0, durationMs: 0, filesModified: [] },
  ...(request.name === undefined ? {} : { name: request.name }),
  startedAt,
});
