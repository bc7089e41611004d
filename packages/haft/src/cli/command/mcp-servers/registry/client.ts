import type { Settings } from "@haft/core/policy";
import { createNet } from "@haft/host";
import { UsageError } from "../../../exit-code.ts";
import { type ServerJson, serverJsonIn } from "./server-json.ts";

/** The registry of the MCP project. */
const DEFAULT_REGISTRY = "https://registry.modelcontextprotocol.io";

/** Servers of one page, and pages that are read for one search. */
const PAGE = 100;
const MOST_PAGES = 5;
const MOST_BYTES = 5_000_000;
const FETCH_MS = 20_000;

/** The settings that say which registry is asked, and how. */
type RegistrySettings = Pick<Settings, "mcpRegistry" | "web">;

/** A client of an MCP registry. */
export interface Registry {
  readonly address: string;
  /** The latest versions of the servers whose names, titles and descriptions have all of these words. */
  search(words: readonly string[], most: number): Promise<readonly ServerJson[]>;
  /** One server. Without a version the latest. */
  server(name: string, version?: string): Promise<ServerJson>;
}

/**
 * The registry of the settings, read through the guarded client.
 *
 * @throws UsageError for an address that is neither https nor on this machine.
 */
export function openRegistry({ mcpRegistry = DEFAULT_REGISTRY, web }: RegistrySettings): Registry {
  const base = URL.canParse(mcpRegistry) ? new URL(mcpRegistry) : undefined;
  const isLocal = base !== undefined && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(base.hostname);
  if (!base || !(base.protocol === "https:" || (base.protocol === "http:" && isLocal)))
    throw new UsageError(
      `"${mcpRegistry}" cannot be the address of an MCP registry.`,
      "Write an address that begins with https:// in the setting mcpRegistry.",
    );
  const address = base.href.replace(/\/+$/, "");
  const read = (path: string) => readJson(`${address}/v0.1/${path}`, [base.host, ...(web?.privateHosts ?? [])]);
  return {
    address,
    async search(words, most) {
      const wanted = words.map((word) => word.toLowerCase());
      // The registry looks for one word in names only. The others are looked for here.
      const longest = wanted.toSorted((a, b) => b.length - a.length)[0] ?? "";
      const found: ServerJson[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MOST_PAGES && found.length < most; page += 1) {
        const query = new URLSearchParams({ search: longest, version: "latest", limit: String(PAGE) });
        if (cursor !== undefined) query.set("cursor", cursor);
        const { servers, next } = pageIn(await read(`servers?${query}`), address);
        found.push(
          ...servers.filter(({ name, title, description, isGone }) => {
            const text = `${name} ${title} ${description}`.toLowerCase();
            return !isGone && wanted.every((word) => text.includes(word));
          }),
        );
        if (next === undefined || next === cursor) break;
        cursor = next;
      }
      return found.slice(0, most);
    },
    async server(name, version = "latest") {
      const value = await read(`servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`);
      const server = serverJsonIn(value);
      if (server === undefined || server.name !== name)
        throw new UsageError(`${address} has no server.json for ${name}.`, `Look for it: haft mcp search ${name}`);
      if (server.isGone)
        throw new UsageError(`${name} ${server.version} was removed from the registry.`, "Choose another server.");
      return server;
    },
  };
}

function pageIn(value: unknown, address: string): { readonly servers: readonly ServerJson[]; readonly next?: string } {
  const { servers, metadata } = (value ?? {}) as { readonly servers?: unknown; readonly metadata?: unknown };
  if (!Array.isArray(servers))
    throw new UsageError(`${address} is not an MCP registry.`, "Check the setting mcpRegistry.");
  const next = (metadata as { readonly nextCursor?: unknown } | undefined)?.nextCursor;
  return {
    servers: servers.flatMap((entry) => serverJsonIn(entry) ?? []),
    ...(typeof next === "string" && next !== "" ? { next } : {}),
  };
}

async function readJson(address: string, privateHosts: readonly string[]): Promise<unknown> {
  const net = createNet({ privateHosts });
  try {
    const answer = await net.fetch(address, { maxBytes: MOST_BYTES, timeoutMs: FETCH_MS });
    const text = await answer.text();
    if (answer.status === 404)
      throw new UsageError("The registry has no such server.", "Look for its name: haft mcp search WORDS");
    if (!answer.ok) throw new UsageError(`The registry answers with ${answer.status}.`, "Try again later.");
    try {
      return JSON.parse(text);
    } catch {
      throw new UsageError("The registry does not answer with JSON.", "Check the setting mcpRegistry.");
    }
  } finally {
    await net.close();
  }
}
