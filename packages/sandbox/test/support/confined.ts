// A scratch workspace, and programs confined to it.
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { type Bound, type Effect, effects, type RunOutcome, type RunRequest } from "@haft/core/tool";
import type { HostProcesses } from "@haft/host";
import {
  type ConfineOptions,
  confinedProcesses,
  createRuntimeConfiner,
  createTierProbe,
  probeTier,
} from "../../src/index.ts";
import { viewsProcesses } from "../../src/process-viewers.ts";
import { closeRuntime, openRuntime } from "../../src/srt/runtime.ts";
import { NOT_FOR_ROOT } from "../../src/srt/weaknesses.ts";

/** The grant of a command that could not be read. */
export const UNREAD: Bound = { effects: [{ do: "unknown", basis: "enforced", why: "a test" }], holes: [] };

/** The grant of a command whose effects are all known. */
export const known = (...list: readonly Effect[]): Bound => ({
  effects: [effects.run({ argv: ["x"], text: "x", cwd: "/", opaque: false }), ...list],
  holes: [],
});

/** How a command gets its sandbox: one that is put up for it, or one that stands ready. Both must hold the same. */
export type Way = "fresh" | "standing" | "srt";

/** The runtime needs programs of the machine that few have; where they are, it has to hold what it promises. */
const srt = await openRuntime().then(closeRuntime, (thrown: Error) => thrown.message);
export const WITHOUT_RUNTIME: string | undefined =
  typeof srt === "string" ? srt : process.getuid?.() === 0 ? NOT_FOR_ROOT : undefined;
export const WAYS: readonly Way[] = ["fresh", "standing", ...(WITHOUT_RUNTIME === undefined ? (["srt"] as const) : [])];

export interface Scratch extends AsyncDisposable {
  /** The folder of everything below. */
  readonly base: string;
  readonly root: string;
  readonly home: string;
  readonly outside: string;
  readonly state: string;
  readonly processes: HostProcesses;
  /** Whether a sandbox that stands for such a request is found. Uses it up, and waits until the next one stands. */
  stands(rest?: Partial<RunRequest>): Promise<boolean>;
  /** Runs a script in the workspace, with the grant of an unread command. */
  run(command: string, rest?: Partial<RunRequest>): Promise<RunOutcome>;
  put(files: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

const probed = await probeTier({ workspaces: [], home: "/" });
/** Why nothing can be confined here; `undefined` where it can. */
export const WITHOUT_SANDBOX: string | undefined =
  probed.tier === "bwrap"
    ? undefined
    : (probed.tiers.find(({ name }) => name === "bwrap")?.reason ?? "no reason known");

/**
 * Makes folders: a workspace with a repository, a home with secrets, a neighbour, a state. `standing`: what `run` runs gets a
 * sandbox that stood before, or throws.
 */
export async function createScratch(options: Partial<ConfineOptions> = {}, way: Way = "fresh"): Promise<Scratch> {
  const base = await realpath(await mkdtemp(`${tmpdir()}/haft-sandbox-`));
  await chmod(base, 0o755);
  const [root, home, outside, state] = ["ws", "home", "outside", "state"].map((name) => `${base}/${name}`) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [root, home, outside, state]) await mkdir(folder);
  const put = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(`${base}/${path}`), { recursive: true });
      await writeFile(`${base}/${path}`, text);
    }
  };
  await put({
    "ws/.git/HEAD": "ref: refs/heads/main\n",
    "ws/.git/config": "[core]\n\tbare = false\n",
    "ws/.git/hooks/pre-commit.sample": "",
    "ws/.git/objects/none": "",
    "ws/.git/refs/none": "",
    "ws/src/a.txt": "a\n",
    "home/.ssh/id_test": "key\n",
    "outside/b.txt": "b\n",
    "state/session.jsonl": "{}\n",
  });
  const standing = new WeakSet<RunRequest>();
  const confined = confinedProcesses({
    onRun: (request, stood) => stood && standing.add(request),
    probe: createTierProbe({ workspaces: [root], home }),
    // The scratch folder lies in /tmp, of which a program sees nothing: home and neighbour have to be shown to be tried.
    workspace: () => ({ root, additional: [], readable: [home, outside], home, platform: "linux" }),
    quarantine: `${state}/quarantine`,
    state,
    ...options,
    ...(way === "srt" ? { confiner: createRuntimeConfiner } : {}),
    host: { ...(way === "fresh" ? { ahead: false } : {}), ...options.host },
  });
  const processes: HostProcesses = {
    ...confined,
    async run(request) {
      const outcome = await confined.run(request);
      return standing.has(request) ? { ...outcome, stood: true } : outcome;
    },
  };
  const close = async (): Promise<void> => {
    await confined.close();
    await rm(base, { recursive: true, force: true });
  };
  async function stands(rest: Partial<RunRequest> = {}): Promise<boolean> {
    const { signal: _, onOutput: __, timeoutMs: ___, ...like } = rest;
    const before = await waitingFor(base);
    const { stood } = await processes.run({ cwd: root, bound: UNREAD, ...like, command: ":" });
    // On a busy machine the next one takes its time.
    for (let look = 0; look < 10; look++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      if ((await waitingFor(base)).some((id) => !before.includes(id))) break;
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
    return stood === true;
  }
  async function prepare(request: RunRequest): Promise<void> {
    for (let round = 0; round < 20; round++) if (await stands(request)) return;
  }
  return {
    ...{ base, root, home, outside, state, processes, put, close, stands },
    async run(command, rest) {
      const request = { command, cwd: root, bound: UNREAD, ...rest };
      const mayStand = way === "standing" && !viewsProcesses(request.bound);
      if (mayStand) await prepare(request);
      const { stood = false, ...outcome } = await processes.run(request);
      if (mayStand && !stood && outcome.exitCode !== null) throw new Error("The sandbox was put up for this command.");
      return outcome;
    },
    [Symbol.asyncDispose]: close,
  };
}

/** Ids of the sandboxes that there are for a folder. */
export async function waitingFor(folder: string): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return ids.filter((_, index) => lines[index]?.includes("bwrap") && lines[index].includes(folder));
}
