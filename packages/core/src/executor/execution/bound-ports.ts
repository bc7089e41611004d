import type { Grant, Hole } from "../../policy/index.ts";
import type { CatalogOptions } from "../../registry/catalog.ts";
import { whenAvailable } from "../../registry/offer.ts";
import {
  type Bound,
  type CallRef,
  type Effect,
  type Files,
  type FileView,
  fail,
  isWithin,
  type Jobs,
  type Ports,
  type Processes,
  type RunRequest,
  type State,
} from "../../tool/index.ts";
import type { JournalCall, Review } from "../journal.ts";
import type { Machine } from "../machine.ts";
import { bounds } from "../settle-effects.ts";
import { boundAgents, type Lending } from "./bound/agents.ts";
import { boundHeld } from "./bound/bound-held-changes.ts";
import { boundJobs } from "./bound/jobs.ts";
import { boundLanguages } from "./bound/language.ts";
import { boundBrowser, boundNet, boundSearch } from "./bound/net.ts";
import { rooted } from "./bound/rooted.ts";
import { boundSession } from "./bound/session.ts";
import { undeclared } from "./bound/undeclared.ts";

/**
 * Binds the ports to one call: they carry out only what was granted. The path is resolved again at the moment of use,
 * so a link that was swapped since the decision leads nowhere.
 */
export function bindPorts(
  machine: Machine,
  ref: Owner,
  grant: Grant,
  reviews: Reviews = {},
  shown: Shown[] = [],
): Ports {
  const { ports, session } = machine;
  const call: JournalCall = { id: ref.id, tool: ref.tool, turn: ref.turn, session: session.id };
  // It remains a dry run even with an approval.
  const bound: Grant = reviews.isDryRun ? { ...grant, hold: true } : grant;
  const files = boundFiles(machine, call, bound, shown);
  const own: Ports = {
    files: reviews.isDryRun ? { ...files, write: unwritten, remove: unwritten } : files,
    processes: boundProcesses(machine, call, bound, reviews),
    net: boundNet(ports.net, call.tool, bound),
    clock: ports.clock,
    state: boundState(ports.state, call.tool, bound),
    ...boundSession(ports, call.tool, bound, machine.agent),
    ...(ports.jobs
      ? { jobs: boundJobs(jobsFor(ports.jobs, reviews), call, bound, machine.journal?.jobs, reviews.check) }
      : {}),
    ...(ports.documents ? { documents: ports.documents } : {}),
    ...(ports.scripts ? { scripts: ports.scripts } : {}),
    ...(ports.search ? { search: boundSearch(ports.search, call.tool, bound) } : {}),
    ...(ports.browser ? { browser: boundBrowser(ports.browser, call.tool, bound) } : {}),
    ...(ports.language
      ? { language: boundLanguages(ports.language, call.tool, bound, (path) => ports.files.locate(path)) }
      : {}),
    ...(ports.model ? { model: ports.model } : {}),
    ...(ports.agents ? { agents: boundAgents(ports.agents, call, bound, reviews.lend ?? ((wait) => wait)) } : {}),
    ...(ports.held ? { held: boundHeld(ports.held, call.tool, bound) } : {}),
  };
  return rooted(own, () => machine.cwd());
}

/** A dry run starts nothing that keeps running: even a served job fills its output folders. */
function jobsFor(jobs: Jobs, { isDryRun }: Reviews): Jobs {
  if (!isDryRun) return jobs;
  const { servesHeld: _, ...others } = jobs;
  return others;
}

/** Judges a command's changes before they become real: for commands on hold, and for dry runs. */
export interface Reviews {
  readonly hold?: Review;
  readonly dryRun?: Review;
  /** Every command of this call is a dry run. */
  readonly isDryRun?: boolean;
  /** Rejects if a command is no longer the one that was decided on. */
  readonly check?: (script: Pick<RunRequest, "command" | "cwd" | "env">) => Promise<void>;
  /** Lends the call's slot to others while it only waits. */
  readonly lend?: Lending;
  /** Asks for what the sandbox refused a command, which then runs once more. */
  readonly supply?: Supply;
}

/** Asks for what a sandbox refused a command. Returns the wider grant, or nothing if the refusal remains. */
type Supply = (missing: readonly Effect[], why: string) => Promise<Bound | undefined>;

/** File contents that a call shows. The session counts them as known when the result has reached the model. */
export type Shown = FileView & { readonly path: string };

/** The call that owns the ports. */
type Owner = Pick<CallRef, "id" | "tool" | "turn">;

/** Ports for a call before its decision. They locate files and report what was seen, and open nothing. */
export function blindPorts(machine: Machine): Ports {
  const known = blind.get(machine);
  if (known) return known;
  const ports = bindPorts(machine, { id: "", tool: "a check before the decision", turn: 0 }, NOTHING);
  blind.set(machine, ports);
  return ports;
}

/** They belong to no call, so each machine needs only one set. */
const blind = new WeakMap<Machine, Ports>();

/**
 * Ports for a call. A call without a grant on this machine can do nothing through them, so all such calls of a tool
 * share one set. Such calls are frequent, and creating ports costs more than most of them.
 */
export function portsFor(machine: Machine, ref: Owner, grant: Grant, reviews: () => Reviews, shown: Shown[]): Ports {
  if (!grant.effects.every(isElsewhere)) return withCatalog(machine, bindPorts(machine, ref, grant, reviews(), shown));
  let tools = idle.get(machine);
  if (!tools) {
    tools = new Map();
    idle.set(machine, tools);
  }
  const known = tools.get(ref.tool);
  if (known) return known;
  const ports = withCatalog(machine, bindPorts(machine, { id: "", tool: ref.tool, turn: 0 }, NOTHING));
  tools.set(ref.tool, ports);
  return ports;
}

const idle = new WeakMap<Machine, Map<string, Ports>>();
const NOTHING: Grant = { effects: [], holes: [] };

/** Done by a server or a person, not through a port. */
const isElsewhere = ({ do: word }: Effect): boolean => word === "call" || word === "ask";

/** Loading a definition only changes what the model is told, so it needs no grant. */
function withCatalog(machine: Machine, ports: Ports): Ports {
  const { deferral, registry, available, offerContext } = machine;
  if (!deferral) return ports;
  const isAvailable: CatalogOptions["isAvailable"] = (entry, now) => whenAvailable(available, entry, now) === true;
  return { ...ports, catalog: deferral.catalog({ registry, isAvailable, context: offerContext }) };
}

function boundFiles({ ports, seen, journal }: Machine, call: JournalCall, grant: Grant, shown: Shown[]): Files {
  const raw = ports.files;
  const within = accessWithin(raw, call.tool, grant);
  return {
    locate: (path) => raw.locate(path),
    stat: (path) => raw.stat(path),
    gitConfig: (folder) => raw.gitConfig(folder),
    ...(raw.gitTracked ? { gitTracked: raw.gitTracked } : {}),
    ...(raw.mentions ? { mentions: raw.mentions } : {}),
    async seen(path) {
      return seen?.get((await raw.locate(path)).path);
    },
    async show(path, view) {
      const real = (await raw.locate(path)).path;
      if (!bounds(grant.effects, "write", real)) await within("read", path);
      shown.push({ ...view, path: real });
    },
    ...boundReads(raw.exact ?? raw, grant, within),
    ...boundWrites(raw.exact ?? raw, call, grant, journal, within),
    together: (act) => (journal?.together ? journal.together(call, act) : act()),
  };
}

/** Gives the real path of a file that the call may read or write. */
type Within = (access: "read" | "write", path: string) => Promise<string>;

function accessWithin(raw: Files, tool: string, grant: Grant): Within {
  return async (access, path) => {
    const real = (await raw.locate(path)).path;
    if (!bounds(grant.effects, access, real)) {
      if (bounds(asNamed(grant.effects), access, path)) leadsElsewhere(path, real);
      undeclared(tool, `${access} ${real}`);
    }
    const hole = grant.holes.find((candidate) => candidate.do === access && candidate.matches(real));
    if (hole) closed(real, hole);
    return real;
  };
}

/** `exact` does not resolve a real path again: otherwise a link that replaces it after the check would be followed. */
function boundReads(
  exact: Files,
  grant: Grant,
  within: Within,
): Pick<Files, "bytes" | "text" | "lines" | "list" | "find" | "search"> {
  const readHoles = grant.holes.filter((hole) => hole.do === "read");
  const isVisible = (path: string): boolean => !readHoles.some((hole) => hole.matches(path));
  // The engine leaves hidden files out before it counts and truncates, so that not even a total reveals them.
  const visibleOnly = readHoles.length > 0 ? { isVisible } : {};
  const nameHoles = readHoles.filter((hole) => !hole.contentOnly);
  const isNamed = (path: string): boolean => !nameHoles.some((hole) => hole.matches(path));
  const namedOnly = nameHoles.length > 0 ? { isVisible: isNamed } : {};
  return {
    async bytes(path, range) {
      return exact.bytes(await within("read", path), range);
    },
    async text(path, options) {
      return exact.text(await within("read", path), options);
    },
    async lines(path, window) {
      return exact.lines(await within("read", path), window);
    },
    async list(path) {
      const real = await within("read", path);
      return (await exact.list(real)).filter((entry) => isNamed(`${real}/${entry.path}`));
    },
    async find(query) {
      return exact.find({ ...query, root: await within("read", query.root), ...namedOnly });
    },
    async search(query) {
      return exact.search({ ...query, root: await within("read", query.root), ...visibleOnly });
    },
  };
}

function boundWrites(
  exact: Files,
  call: JournalCall,
  grant: Grant,
  journal: Machine["journal"],
  within: Within,
): Pick<Files, "write" | "remove"> {
  // The folders that this call has made: removing a file removes no others with it.
  const made = new Set<string>();
  return {
    async write(path, data, options) {
      const real = await within("write", path);
      const act = () => exact.write(real, data, options);
      const like = options?.like ? { like: options.like } : {};
      const written = await (journal ? journal.change(call, { path: real, data, ...like }, act) : act());
      for (const folder of written.folders ?? []) made.add(folder);
      return written;
    },
    async remove(path, options) {
      const real = await within("write", path);
      const isGranted = grant.effects.some(
        (effect) =>
          effect.do === "write" &&
          (effect.change === "delete" || effect.change === "create" || effect.tree === true) &&
          (effect.path === real || (effect.tree === true && isWithin(effect.path, real))),
      );
      if (!isGranted) undeclared(call.tool, `delete ${real}`);
      const folders = (options?.folders ?? []).filter((folder) => made.has(folder) && isWithin(folder, real));
      const act = () => exact.remove(real, { ...options, folders });
      return journal ? journal.change(call, { path: real, folders }, act) : act();
    },
  };
}

/** Effects under the names that the call used, wherever these led at the time of the decision. */
const asNamed = (effects: readonly Effect[]): readonly Effect[] =>
  effects.map((effect) => ("as" in effect && effect.as !== undefined ? { ...effect, path: effect.as } : effect));

const leadsElsewhere = (path: string, real: string): never =>
  fail(
    "conflict",
    `${path} now leads to ${real}, but led elsewhere when the call was decided. Nothing was done there.`,
    "If that is what you want, call again: it is decided again.",
    { path },
  );

const unwritten = async (path: string): Promise<never> =>
  fail("sandbox_denied", `${path} was not changed: this is a dry run.`, "Call it without the dry run.");

const closed = (path: string, { rule, contentOnly }: Hole): never =>
  contentOnly
    ? fail("sandbox_denied", `${path} is private: a read of many files skips it.`, "Read it by name.")
    : fail("sandbox_denied", `${path} is closed to this call by the rule ${rule.rule}.`, "Go on without it.");

function boundProcesses(
  { ports, journal }: Machine,
  call: JournalCall,
  grant: Grant,
  { hold, dryRun, isDryRun = false, check, supply }: Reviews,
): Processes {
  const mayRun = grant.effects.some((effect) => effect.do === "run" || effect.do === "unknown");
  const run: Processes["run"] = (request) => ports.processes.run(request);
  const captured: Processes["run"] = (request) => (journal ? journal.command(call, request, run) : run(request));
  const { digest, replaced, runsBash } = ports.processes;
  return {
    ...(digest ? { digest } : {}),
    ...(replaced ? { replaced } : {}),
    ...(runsBash ? { runsBash } : {}),
    async run(request) {
      if (!mayRun) undeclared(call.tool, `run ${request.command}`);
      await check?.(request);
      const bound = { ...request, bound: grant };
      if (!grant.hold) {
        const outcome = await captured(bound);
        const { exitCode, missing = [], denied = "" } = outcome;
        const wider = exitCode === 0 || missing.length === 0 ? undefined : await supply?.(missing, denied);
        return wider ? captured({ ...request, bound: wider }) : outcome;
      }
      const review = isDryRun ? dryRun : hold;
      if (!journal || !review) return withoutView(isDryRun);
      return journal.command(call, bound, run, review);
    },
  };
}

const withoutView = (isDry: boolean): never =>
  fail(
    "sandbox_unavailable",
    `${isDry ? "A dry run" : "A command on hold"} needs a journal and a view of the workspace. Nothing was run.`,
    isDry
      ? "Run the command itself, if the user wants that."
      : "`haft doctor` shows what is missing; other modes ask instead.",
  );

function boundState(raw: State, tool: string, grant: Grant): State {
  const may = (name: string, change: boolean) =>
    grant.effects.some((effect) => effect.do === "state" && effect.of === name && (effect.change || !change));
  return {
    get: (name) => (may(name, false) ? raw.get(name) : undeclared(tool, `read the state "${name}"`)),
    set: (name, value) => (may(name, true) ? raw.set(name, value) : undeclared(tool, `change the state "${name}"`)),
  };
}
