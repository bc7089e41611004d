import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { SpillStore } from "@haft/core/host";
import type { RemoteHost } from "@haft/remote";
import { stateFolder } from "@haft/service";
import type { HaftOptions } from "../../app/haft.ts";
import { real } from "../../app/workspace.ts";
import { UsageError } from "../exit-code.ts";
import { haftOptions, type OpenOptions, sessionOf } from "../open-haft.ts";
import type { CommonOptions } from "../options.ts";

/** The options of commands that work on another machine. */
export const remoteOptions = { remote: "string", "remote-node": "string" } as const;

/** The machine that a command line names. */
export interface RemoteWish {
  /** `ssh://user@host/folder`, `docker://CONTAINER/folder` or `podman://CONTAINER/folder`. */
  readonly remote?: string;
  /** Node there. */
  readonly "remote-node"?: string;
}

/** A folder of another machine, and the place of its sessions on this one. */
export interface OpenRemote {
  readonly remote: RemoteHost;
  /** Grants and records of this machine's folders do not count there, so they have a folder of their own. */
  readonly stateDir: string;
  /** The id of the session to go on with, if the command line names one. */
  readonly session: string | undefined;
}

/**
 * Opens a Haft by the command line, on the machine that it names, if any. `open` gets the options.
 *
 * @throws UsageError, HaftError; nothing is left open then.
 */
export async function openPlaced<T>(
  wish: RemoteWish,
  common: CommonOptions,
  options: OpenOptions,
  open: (options: HaftOptions) => Promise<T>,
): Promise<T> {
  if (wish.remote === undefined) return open(checked(wish, await haftOptions(common, options)));
  const { session: _, ...rest } = common;
  const given = await haftOptions(rest, options);
  const { remote, stateDir, session } = await openRemote(wish, common, options.lastOf);
  try {
    return await open({
      ...{ ...given, ...remote.options, stateDir, settingsFiles: "own", spill: spillIn(join(stateDir, "results")) },
      ...(session === undefined ? {} : { session }),
    });
  } catch (thrown) {
    await remote.close();
    throw thrown;
  }
}

function checked(wish: RemoteWish, options: HaftOptions): HaftOptions {
  if (wish["remote-node"] === undefined) return options;
  throw new UsageError("--remote-node goes with --remote.", "Name the machine: --remote ssh://user@host/folder.");
}

/** Opens the folder that `--remote` names. @throws UsageError for what does not go with it, HaftError if it cannot. */
export async function openRemote(
  wish: RemoteWish,
  common: CommonOptions,
  isWanted?: (folder: string) => boolean,
): Promise<OpenRemote> {
  if (common.cwd !== resolve(".")) throw new UsageError("--cwd and --remote exclude each other.", FOLDER);
  if (common.queue !== undefined)
    throw new UsageError(
      "--queue and --remote exclude each other.",
      "Start a worker on that machine, and use --queue.",
    );
  const address = wish.remote ?? "";
  const remote = await opened(address, wish["remote-node"]);
  const state = stateFolder(real(homedir()));
  const { host } = new URL(address);
  const name = `${host.replace(/[^\w.-]/g, "_").slice(0, 40)}-${digestOf(machineOf(address))}`;
  const stateDir = join(state.root, "remote", name);
  try {
    const place = { cwd: remote.options.cwd, ...(common.session === undefined ? {} : { session: common.session }) };
    return { remote, stateDir, session: sessionOf(place, isWanted, stateDir) };
  } catch (thrown) {
    await remote.close();
    throw thrown;
  }
}

const FOLDER = "Write the folder into the address: ssh://user@host/folder.";

async function opened(address: string, node: string | undefined): Promise<RemoteHost> {
  const { openContainerHost, openSshHost } = await import("@haft/remote");
  const own = node === undefined ? {} : { node };
  if (address.startsWith("ssh://")) return openSshHost(address, own);
  const [, program, container = "", folder] = /^(docker|podman):\/\/([^/]*)(\/.*)?$/.exec(address) ?? [];
  if (program === undefined)
    throw new UsageError(
      `--remote ${address.replace(/:[^:@/]*@/, ":***@")} is not an address of a folder.`,
      "Write ssh://user@host/folder, docker://CONTAINER/folder or podman://CONTAINER/folder.",
    );
  const place = folder === undefined || folder === "/" ? {} : { folder };
  return openContainerHost(container, { ...own, ...place, program });
}

/** An address without its folder. */
const machineOf = (address: string): string => /^\w+:\/\/[^/]*/.exec(address)?.[0] ?? address;

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Long results stay on this machine, where the record is; the tools read them through Haft. */
function spillIn(folder: string): SpillStore {
  const place = (session: string, name: string): string => join(folder, basename(session), basename(name));
  return {
    async write(session, name, data) {
      await mkdir(join(folder, basename(session)), { recursive: true, mode: 0o700 });
      await writeFile(place(session, name), data, { mode: 0o600, flag: "wx" });
    },
    read: (session, name) =>
      readFile(place(session, name)).catch((thrown: NodeJS.ErrnoException) =>
        thrown.code === "ENOENT" ? undefined : Promise.reject(thrown),
      ),
  };
}
