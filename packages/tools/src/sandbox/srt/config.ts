import { isWithin } from "@haft/core/tool";
import type { Fence } from "../fence/index.ts";
import type { Literal, RuntimeConfig } from "./runtime.ts";

export interface RuntimeAccess {
  readonly fence: Fence;
  /** Hosts that may be reached. */
  readonly hosts: readonly string[];
  /** Folders that the program works in, and the sockets by which it reaches the runtime: seen in whatever is hidden. */
  readonly seen: readonly string[];
}

/** A fence in the words of the sandbox runtime; a pure function. What those words cannot say is in `SRT_WEAKNESSES`. */
export function runtimeConfig({ fence, hosts, seen }: RuntimeAccess): RuntimeConfig {
  // What is fresh in a fence is hidden: the programs of the machine keep sockets there.
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
