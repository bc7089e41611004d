import { isWithin } from "@haft/core/tool";
import type { Fence } from "../fence/index.ts";
import type { Literal, RuntimeConfig } from "./runtime.ts";

interface RuntimeAccess {
  readonly fence: Fence;
  /** Reachable hosts. */
  readonly hosts: readonly string[];
  /** Folders that the program works in, and its sockets to the runtime: visible even inside hidden folders. */
  readonly seen: readonly string[];
}

/** A fence as a configuration of the sandbox runtime; a pure function. `SRT_WEAKNESSES` lists what it cannot express. */
export function runtimeConfig({ fence, hosts, seen }: RuntimeAccess): RuntimeConfig {
  // Fresh folders of a fence are hidden: programs of the machine keep sockets there.
  const hidden = [...fence.hidden.map(({ path }) => path).filter((path) => !path.startsWith("/proc/")), ...fence.fresh];
  const shown = seen.filter((path) => hidden.some((folder) => isWithin(folder, path)));
  return {
    network: { allowedDomains: hosts, deniedDomains: [] },
    filesystem: {
      denyRead: literally(hidden),
      allowRead: literally([...fence.readOnly, ...fence.writable, ...shown]),
      allowWrite: literally(fence.writable),
      denyWrite: literally([...fence.readOnly, ...fence.sealed]),
    },
  };
}

const literally = (paths: readonly string[]): readonly Literal[] =>
  [...new Set(paths)].map((path) => ({ path, literal: true }));
