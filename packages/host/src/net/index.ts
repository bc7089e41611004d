/** @module The network of this machine: one guarded client, and the checks shared by everything that opens sockets. */
import { isIP } from "node:net";
import { normalizeHost } from "@haft/core/policy";
import { checkedAddress, type Net, portOf } from "@haft/core/tool";
import type { NetClient } from "./client.ts";
import type { Lookup } from "./reach.ts";

export type { Lookup, Reach, Resolved } from "./reach.ts";

/** Options that open more than public addresses. */
export interface NetOptions {
  /** Hosts of private networks and of this machine: `localhost:3000`, `192.168.1.7`, `10.0.0.0/8`. */
  readonly privateHosts?: readonly string[];
  /** Resolves names. Default: the system's resolver. */
  readonly lookup?: Lookup;
}

/** The network port. It loads its library at the first request. */
export interface HostNet extends Net {
  close(): Promise<void>;
}

/** A network port for public addresses and those in the options. */
export function createNet({ privateHosts = [], lookup }: NetOptions = {}): HostNet {
  let client: Promise<NetClient> | undefined;
  const list = ["*", ...privateHosts];
  const load = async (): Promise<NetClient> => {
    const [{ createNetClient }, { reachOf }] = await Promise.all([import("./client.ts"), import("./reach.ts")]);
    return createNetClient(reachOf(list, lookup));
  };
  return {
    async fetch(address, request) {
      client ??= load();
      return (await client).fetch(address, request);
    },
    async check(address) {
      const url = checkedAddress(address);
      const host = normalizeHost(url.hostname);
      if (isIP(host) === 0 && !/(?:^|\.)localhost$/.test(host)) return;
      const { blocked, reachOf } = await import("./reach.ts");
      // No name server needs to be asked about names of this machine (RFC 6761).
      const near = reachOf(list, async () => ["127.0.0.1"]);
      const found = await near.resolve(host, portOf(url));
      if ("refused" in found) throw blocked(found);
    },
    close: async () => (await client)?.close(),
  };
}
