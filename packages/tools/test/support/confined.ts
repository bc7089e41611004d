// A scratch workspace, and programs confined to it.
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { type Bound, type Effect, effects, type RunOutcome, type RunRequest } from "@haft/core/tool";
import type { HostProcesses } from "../../src/host/index.ts";
import { type ConfineOptions, confinedProcesses, createTierProbe, probeTier } from "../../src/sandbox/index.ts";

/** What an unread command has as its grant. */
export const UNREAD: Bound = { effects: [{ do: "unknown", basis: "enforced", why: "a test" }], holes: [] };

/** The grant of a command whose effects are all known. */
export const known = (...list: readonly Effect[]): Bound => ({
  effects: [effects.run({ argv: ["x"], text: "x", cwd: "/", opaque: false }), ...list],
  holes: [],
});

export interface Scratch extends AsyncDisposable {
  /** The folder of everything below. */
  readonly base: string;
  readonly root: string;
  readonly home: string;
  readonly outside: string;
  readonly state: string;
  readonly processes: HostProcesses;
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

/** Makes folders: a workspace with a repository, a home with secrets, a neighbour, a state. */
export async function createScratch(options: Partial<ConfineOptions> = {}): Promise<Scratch> {
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
  const processes = confinedProcesses({
    probe: createTierProbe({ workspaces: [root], home }),
    // The scratch folder lies in /tmp, of which a program sees nothing: home and neighbour have to be shown to be tried.
    workspace: () => ({ root, additional: [], readable: [home, outside], home, platform: "linux" }),
    quarantine: `${state}/quarantine`,
    state,
    ...options,
  });
  const close = async (): Promise<void> => {
    await processes.close();
    await rm(base, { recursive: true, force: true });
  };
  return {
    ...{ base, root, home, outside, state, processes, put, close },
    run: (command, rest) => processes.run({ command, cwd: root, bound: UNREAD, ...rest }),
    [Symbol.asyncDispose]: close,
  };
}
