import { join } from "node:path";
import type { ToolAgentSettings, ToolNames } from "@haft/core/policy";
import { type AgentRef, type AgentReport, type AgentRequest, type Agents, type Clock, fail } from "@haft/core/tool";
import type { RunHooks } from "@haft/plugins/hook";
import { openTasks } from "@haft/service/session";
import { type Model, withEffort } from "../../agent/index.ts";
import { type Adoption, createApi, type Parts } from "../public-api.ts";
import { checkBound } from "../setup/bounded.ts";
import { childParts, mainParts } from "./child.ts";
import type { Price } from "./metered.ts";
import { modelChoice, modelOf } from "./model-choice.ts";
import {
  type AgentNode,
  type AgentRun,
  definitionFor,
  MOST_AGENTS,
  MOST_AT_ONCE,
  MOST_DEPTH,
  type Report,
  type Team,
} from "./node.ts";
import type { OwnPartsOptions } from "./own-parts.ts";
import { finished } from "./place/agent-place.ts";
import type { OpenPlace } from "./place/isolation.ts";
import { budgetProblem, limitError, Pool, tighter } from "./pool.ts";
import { sendMessage } from "./send-message.ts";
import { createSpending, type SessionBudget } from "./spending.ts";
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
const STOP_MS = 5_000;

export function createAgentEngine(options: EngineOptions): AgentEngine {
  const { clock, settings, names } = options;
  let { runHooks } = options;
  let closeMain = async (): Promise<void> => {};
  const all: AgentNode[] = [];
  const teams = new Map<string, Team>();
  const spending = createSpending(options.prices);
  const turnOn = createTurns(MOST_AT_ONCE);
  const main = nodeOf(
    { id: "main" },
    undefined,
    undefined,
    new Pool("this session", { ...options.budget, spawns: settings.maxAgents ?? MOST_AGENTS }),
    options.model,
  );

  function nodeOf(
    ref: AgentNode["ref"],
    parent: AgentNode | undefined,
    type: AgentDefinition | undefined,
    pool: Pool,
    model: string | undefined,
  ) {
    let parts: Parts | undefined;
    const depth = parent ? parent.depth + (type ? 1 : 0) : 0;
    const node: AgentNode = {
      ref,
      depth,
      parent,
      type,
      pool,
      model,
      team: parent?.team,
      started: 0,
      parts: () => parts ?? fail("tool_unavailable", "Agents cannot be started yet.", "Call again."),
    };
    return Object.assign(node, {
      attach(own: Parts) {
        parts = own;
      },
    });
  }

  async function start(parent: AgentNode, request: AgentRequest): Promise<AgentReport> {
    const type = definitionFor(parent, request.type, options.types());
    const model = modelChoice({ ...settings, models: options.models }, parent.model, type, request.model);
    const effects = [type.effects, request.effects].filter((one) => one !== undefined);
    for (const bound of effects) checkBound(bound, names);
    const wrong = budgetProblem(request.budget ?? {});
    if (wrong) fail("invalid_input", wrong, "Correct the budget.");
    if (parent.depth >= MOST_DEPTH)
      fail("limit_reached", `Agents can be nested at most ${MOST_DEPTH} levels deep.`, "Do this part yourself.");
    if (
      request.name !== undefined &&
      all.some(({ run }) => run && run.report.name === request.name && run.report.status === "running")
    )
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
    spending.requirePrice(pool, model);
    const path = [...(parent.ref.path ?? []), called];
    const ref = { id, name: called, parent: parent.ref.id, path, model, ...(type.color ? { color: type.color } : {}) };
    const node = nodeOf(ref, parent, type, pool, model);
    node.team = teamOf(parent, request.team);
    return launch(node, { ...request, effects: effects.flat() }, { effects });
  }

  function teamOf(parent: AgentNode, name: string | undefined): Team | undefined {
    if (name === undefined) return parent.team;
    return (
      teams.get(name) ??
      fail(
        "invalid_input",
        `There is no team "${name}".`,
        `Teams: ${[...teams.keys()].join(", ") || "none; make one with TeamCreate"}.`,
      )
    );
  }

  async function launch(
    node: ReturnType<typeof nodeOf>,
    request: AgentRequest,
    { effects }: { effects: readonly (readonly string[])[] },
  ): Promise<AgentReport> {
    const type = node.type!;
    const stop = new AbortController();
    const late = new AbortController();
    const background = request.background ?? type.background ?? false;
    const report: Report = {
      ...{ id: node.ref.id, type: type.name, description: request.description, model: node.model!, background },
      ...{
        status: "running" as const,
        text: "",
        calls: 0,
        failedCalls: 0,
        tokens: 0,
        durationMs: 0,
        filesModified: [],
      },
      ...(request.name === undefined ? {} : { name: request.name }),
      startedAt: clock.now(),
    };
    const parentOver = node.parent && runAbove(node.parent)?.signal;
    const signal = AbortSignal.any([
      stop.signal,
      ...(parentOver ? [parentOver] : []),
      ...(!background && request.signal ? [request.signal] : []),
    ]);
    const port = node.depth < MOST_DEPTH && node.pool.left("spawns") >= 1 ? portFor(node) : undefined;
    const child = childParts(node, request, effects, {
      ...{ names, settings, port, runHooks, signal, own: options.own },
      adopt: (ref) => adopt(node, ref),
    });
    const place = await options.openPlace({ node, request, effects });
    const own = place.move(child.parts);
    node.attach(own);
    const face = createApi(own);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    node.run = { report, ended, signal, stop: (why) => stop.abort(new DOMException(why, "AbortError")) };
    all.push(node);
    const timeoutMs = request.timeoutMs ?? settings.timeoutMs;
    const timer = new AbortController();
    if (timeoutMs !== undefined)
      clock.sleep(timeoutMs, timer.signal).then(
        () => late.abort(new DOMException("its timeout was reached", "AbortError")),
        () => {},
      );

    async function perform(): Promise<void> {
      const free = await turnOn(node.depth, signal);
      try {
        const opened = await options.openModel(node.model!);
        const model = withEffort(spending.paid(opened, node.pool, node.model), type.effort);
        const instructions = type.withoutInstructions ? "" : await face.instructions();
        const skills = await skillTexts(own.machine.ports.skills, type.skills);
        const system = systemOf(type, request, face.cwd, [...skills, instructions], place.moved);
        const maxTurns = request.maxTurns ?? type.maxTurns ?? MOST_TURNS;
        const { work } = await import("./work.ts");
        await work({
          ...{
            node,
            request: place.moved ? inPlace(request, place.moved) : request,
            report,
            runHooks: child.runHooks,
            model,
            system,
            signal,
            maxTurns,
          },
          haft: face,
          late: late.signal,
          keep: keeperOf(options.dir, node.ref.id),
        });
      } catch (thrown) {
        report.status = signal.aborted ? "stopped" : "failed";
        report.why = signal.aborted ? "it was stopped" : thrown instanceof Error ? thrown.message : String(thrown);
      } finally {
        free();
        timer.abort();
        await child.close();
        // No agent is left to receive results from the background agents that it started.
        await stopBelow(node, "the agent that started it has ended");
        Object.assign(report, await finished(place));
        report.tokens = node.pool.spent.tokens;
        report.durationMs = clock.now() - report.startedAt;
        resolve();
      }
    }

    const performed = perform();
    if (!background) {
      await performed;
      return snapshot(report);
    }
    void performed.then(() => node.parent?.parts().mailbox.put(endNotice(report)));
    return snapshot(report);
  }

  async function stopBelow(node: AgentNode, why: string): Promise<void> {
    const below = all.filter(
      (one) => one.ref.id !== node.ref.id && (node === main || one.ref.id.startsWith(`${node.ref.id}.`)),
    );
    const open = below.filter(({ run }) => run?.report.status === "running");
    for (const { run } of open) run?.stop(why);
    await Promise.all(open.map(({ run }) => run?.ended));
  }

  const visible = (node: AgentNode): readonly AgentNode[] =>
    node === main || node.ref.id === "main" ? all : all.filter(({ ref }) => ref.id.startsWith(`${node.ref.id}.`));

  function found(node: AgentNode, id: string): AgentNode {
    const list = visible(node);
    const one = list.find(({ ref }) => ref.id === id) ?? list.findLast(({ run }) => run?.report.name === id);
    return (
      one ??
      fail(
        "invalid_input",
        `There is no agent "${id}".`,
        list.length === 0
          ? "None was started."
          : `Agents: ${list.map(({ ref, run }) => `${ref.id} (${run?.report.name ?? run?.report.type}, ${run?.report.status})`).join(", ")}.`,
      )
    );
  }

  function portFor(node: AgentNode): Agents | undefined {
    if (options.model === undefined && settings.model === undefined) return undefined;
    return {
      types: () =>
        [...options.types().values()].filter(
          ({ name }) => node.type?.agents === undefined || node.type.agents.includes(name),
        ),
      start: (request) => start(node, request),
      find: (id) => {
        const one = visible(node).find(({ ref, run }) => ref.id === id || run?.report.name === id);
        return one?.run && snapshot(one.run.report);
      },
      list: () =>
        visible(node).flatMap(({ run, pool }) => (run ? [{ ...snapshot(run.report), left: pool.rest() }] : [])),
      async wait(id, { timeoutMs, signal }) {
        const run = found(node, id).run!;
        const over = new AbortController();
        const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
        await Promise.race([run.ended, clock.sleep(timeoutMs, either).catch(() => {})]);
        over.abort();
        signal?.throwIfAborted();
        return snapshot(run.report);
      },
      async stop(id) {
        const run = found(node, id).run!;
        run.stop("it was stopped");
        const over = new AbortController();
        await Promise.race([run.ended, clock.sleep(STOP_MS, over.signal).catch(() => {})]);
        over.abort();
        return snapshot(run.report);
      },
      send: async (to, message) => sendMessage({ all, teams: [...teams.values()], main }, node, to, message),
      async createTeam(name) {
        if (teams.has(name)) fail("conflict", `There is a team "${name}" already.`, "Choose another name.");
        const team = {
          name,
          lead: node,
          tasks: openTasks(options.dir && join(options.dir, "teams", name, "tasks.jsonl")),
        };
        teams.set(name, team);
      },
      async deleteTeam(name) {
        if (!teams.has(name))
          fail("invalid_input", `There is no team "${name}".`, `Teams: ${[...teams.keys()].join(", ") || "none"}.`);
        const members = all.filter((one) => one.team?.name === name && one.run?.report.status === "running");
        if (members.length > 0)
          fail(
            "conflict",
            `${members.map(({ ref }) => ref.name ?? ref.id).join(", ")} are still working in ${name}.`,
            "Wait for them, or stop them.",
          );
        teams.delete(name);
      },
    };
  }

  function adopt(parent: AgentNode, ref: AgentRef): Adoption {
    const node = nodeOf(ref, parent, undefined, parent.pool, parent.model);
    const agents = portFor(node);
    return { ports: agents ? { agents } : {}, attach: node.attach, adopt: (next) => adopt(node, next) };
  }

  function asMain(name: string, parts: Parts, model: string | undefined): Parts {
    const type = definitionFor(main, name, options.types());
    if (type.effects) checkBound(type.effects, names);
    main.type = type;
    main.pool.tighten(type.budget);
    const agent = mainParts(parts, type, { names, own: options.own, runHooks: parts.runHooks, pool: main.pool });
    runHooks = agent.runHooks;
    closeMain = agent.close;
    const wanted = model === undefined ? modelOf(type, options.models) : undefined;
    if (wanted !== undefined) parts.control?.setModel(wanted);
    return { ...agent.parts, ...roleOf(type, parts), runHooks };
  }

  return {
    attach: (parts) => main.attach(parts),
    asMain,
    adopt: (ref) => adopt(main, ref),
    port: portFor(main),
    metered(model) {
      spending.requirePrice(main.pool, model.name);
      return spending.paid(model, main.pool);
    },
    spent: () => spending.of(main.pool),
    setModel(name) {
      main.model = name;
    },
    close: () => stopBelow(main, "the session has ended").finally(closeMain),
  };
}

const snapshot = ({ startedAt: _, ...report }: Report): AgentReport => ({ ...report });

/** The run that an agent belongs to: its own, or that of the agent it was narrowed from. */
const runAbove = (node: AgentNode): AgentRun | undefined => node.run ?? (node.parent && runAbove(node.parent));
