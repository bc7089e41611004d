import type { Grant } from "../../policy/index.ts";
import { type CallRef, type Files, fail, isWithin, type Ports, type Processes, type State } from "../../tool/index.ts";
import type { JournalCall } from "../journal.ts";
import type { Machine } from "../machine.ts";
import { bounds } from "../settle-effects.ts";
import { boundJobs } from "./bound-jobs.ts";
import { undeclared } from "./undeclared.ts";

/**
 * The ports as one call gets them: they carry out what was granted and nothing else. The path is resolved again at the
 * moment of use, so a link that was swapped since the decision leads nowhere.
 */
export function bindPorts(machine: Machine, ref: Owner, grant: Grant): Ports {
  const { ports, session } = machine;
  const call: JournalCall = { id: ref.id, tool: ref.tool, turn: ref.turn, session: session.id };
  return {
    files: boundFiles(machine, call, grant),
    processes: boundProcesses(machine, call, grant),
    clock: ports.clock,
    state: boundState(ports.state, call.tool, grant),
    ...(ports.jobs ? { jobs: boundJobs(ports.jobs, call.tool, grant) } : {}),
  };
}

/** Whose ports they are. */
type Owner = Pick<CallRef, "id" | "tool" | "turn">;

/** Ports for a call that nobody has decided on: they tell where things are and what was seen, and open nothing. */
export function blindPorts(machine: Machine): Ports {
  return bindPorts(machine, { id: "", tool: "a check before the decision", turn: 0 }, { effects: [], holes: [] });
}

function boundFiles({ ports, seen, journal }: Machine, call: JournalCall, grant: Grant): Files {
  const raw = ports.files;
  const { tool } = call;

  async function within(access: "read" | "write", path: string): Promise<string> {
    const real = (await raw.locate(path)).path;
    if (!bounds(grant.effects, access, real)) undeclared(tool, `${access} ${real}`);
    const hole = grant.holes.find((candidate) => candidate.do === access && candidate.matches(real));
    if (hole) fail("sandbox_denied", `${real} is closed to this call by the rule ${hole.rule.rule}.`);
    return real;
  }

  const readHoles = grant.holes.filter((hole) => hole.do === "read");
  const isVisible = (path: string): boolean => !readHoles.some((hole) => hole.matches(path));
  // The engine leaves hidden files out before it counts and cuts, so that not even a total tells of them.
  const visibleOnly = readHoles.length > 0 ? { isVisible } : {};
  const note = (path: string, hash: string | undefined, whole: boolean): void => {
    const before = seen?.get(path);
    if (hash !== undefined) seen?.set(path, { hash, whole: whole || (before?.hash === hash && before.whole) });
  };

  return {
    locate: (path) => raw.locate(path),
    stat: (path) => raw.stat(path),
    gitConfig: (folder) => raw.gitConfig(folder),
    async seen(path) {
      return seen?.get((await raw.locate(path)).path);
    },
    async bytes(path, range) {
      return raw.bytes(await within("read", path), range);
    },
    async text(path, options) {
      const real = await within("read", path);
      const file = await raw.text(real, options);
      note(real, file.hash, true);
      return file;
    },
    async lines(path, window) {
      const real = await within("read", path);
      const read = await raw.lines(real, window);
      note(real, read.hash, read.whole);
      return read;
    },
    async list(path) {
      const real = await within("read", path);
      return (await raw.list(real)).filter((entry) => isVisible(`${real}/${entry.path}`));
    },
    async write(path, data, options) {
      const real = await within("write", path);
      const act = () => raw.write(real, data, options);
      const like = options?.like ? { like: options.like } : {};
      const written = await (journal ? journal.change(call, { path: real, data, ...like }, act) : act());
      note(real, written.hash, true);
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
      if (!isGranted) undeclared(tool, `delete ${real}`);
      const act = () => raw.remove(real, options);
      return journal ? journal.change(call, { path: real }, act) : act();
    },
    async find(query) {
      return raw.find({ ...query, root: await within("read", query.root), ...visibleOnly });
    },
    async search(query) {
      return raw.search({ ...query, root: await within("read", query.root), ...visibleOnly });
    },
  };
}

function boundProcesses({ ports, journal }: Machine, call: JournalCall, grant: Grant): Processes {
  const mayRun = grant.effects.some((effect) => effect.do === "run" || effect.do === "unknown");
  const run: Processes["run"] = (request) => ports.processes.run(request);
  return {
    run(request) {
      if (!mayRun) undeclared(call.tool, `run ${request.command}`);
      const bound = { ...request, bound: grant };
      return journal ? journal.command(call, bound, run) : run(bound);
    },
  };
}

function boundState(raw: State, tool: string, grant: Grant): State {
  const may = (name: string, change: boolean) =>
    grant.effects.some((effect) => effect.do === "state" && effect.of === name && (effect.change || !change));
  return {
    get: (name) => (may(name, false) ? raw.get(name) : undeclared(tool, `read the state "${name}"`)),
    set: (name, value) => (may(name, true) ? raw.set(name, value) : undeclared(tool, `change the state "${name}"`)),
  };
}
