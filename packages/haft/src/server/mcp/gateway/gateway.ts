import { setImmediate as nextTurn } from "node:timers/promises";
import { type Content, contentText } from "@haft/core/tool";
import type { ResourceEntry } from "@haft/mcp";
import type { ReadResourceResult } from "@modelcontextprotocol/server";
import type { Haft } from "../../../app/haft.ts";
import type { McpContent } from "../content.ts";
import { addressAt, isOurs, namedIn, namesServer, whoPointedAt } from "./links.ts";

type GatewayContent = Required<Pick<McpContent, "resources" | "templates" | "read" | "follow" | "watch">>;

/** The tool that reads resources of servers: its rules apply to clients too. */
const READER = "ReadMcpResource";

/** Timeout for a server's list, in milliseconds: a hanging server must not delay the others for long. */
const LIST_MS = 10_000;

/** A resource or a resource template of a server. */
interface Owned {
  readonly server: string;
  readonly entry: ResourceEntry;
}

/**
 * The resources of the configured servers, under the rules of the client. A server that the client may not read is not
 * listed, and each read is a call through the whole pipeline. A failing server lists nothing and does not affect the
 * others.
 */
export function gatewayContent({ mcp }: Pick<Haft, "mcp">): GatewayContent {
  const { resources, templates, ownerOf } = resourceOwners(mcp);
  /** The addresses that clients follow, with the number of followers; keyed by server and the address there. */
  const followed = new Map<string, Map<string, number>>();

  return {
    async follow(uri, haft) {
      const owner = await ownerOf(uri, haft);
      const end = owner && mcp.follow(owner.server, owner.uri);
      if (!owner || !end) return undefined;
      const key = keyOf(owner.server, owner.uri);
      const known = followed.get(key) ?? new Map<string, number>();
      followed.set(key, known.set(uri, (known.get(uri) ?? 0) + 1));
      return () => {
        end();
        const left = known.get(uri)! - 1;
        if (left > 0) known.set(uri, left);
        else known.delete(uri);
        if (known.size === 0) followed.delete(key);
      };
    },
    watch: (listener) =>
      mcp.onResource(({ server, uri }) => {
        if (uri === undefined) return listener({ kind: "resources" });
        for (const known of followed.get(keyOf(server, uri))?.keys() ?? []) listener({ kind: "resource", uri: known });
      }),
    resources: async (haft) => onceEach(await resources(haft)),
    templates: async (haft) => {
      // If two servers share a template, the first one's is used: an address of ours cannot be filled in.
      const byUri = new Map((await templates(haft)).toReversed().map(({ entry }) => [entry.uri, entry]));
      return [...byUri.values()].toReversed().map(({ uri, size: _, ...entry }) => ({ ...entry, uriTemplate: uri }));
    },
    async read(uri, { haft, call }) {
      const owner = await ownerOf(uri, haft);
      if (owner === undefined) return undefined;
      const { content, error } = await call(READER, owner);
      if (error) throw new Error(error.message);
      return { contents: content.map((block) => resourceContent(uri, block)) };
    },
  };
}

/** Finds what servers own: what each lists, and the owner of an address. */
function resourceOwners(mcp: Haft["mcp"]) {
  const ready = (): string[] => mcp.list().flatMap(({ state, server }) => (state === "ready" ? [server.name] : []));

  /** The resources or templates that this client may read, in the order of the servers. */
  async function owned(haft: Haft, kind: "resources" | "templates"): Promise<Owned[]> {
    const found = await Promise.allSettled(
      ready().map(async (server) => {
        if (!(await mayRead(haft, server))) return [];
        const entries = await mcp.resources(server, kind, { ms: LIST_MS });
        return entries.map((entry) => ({ server, entry }));
      }),
    );
    return found.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
  }
  const resources = (haft: Haft) => owned(haft, "resources");
  const templates = (haft: Haft) => owned(haft, "templates");

  const [resourcesNow, templatesNow] = [oncePerTurn(resources), oncePerTurn(templates)];

  const isOpen = async (haft: Haft, server: string): Promise<boolean> =>
    ready().includes(server) && (await mayRead(haft, server));

  /**
   * The owner of a resource address: the server that it names, else the first that lists it, else the one that linked
   * this client to it, else the one with the best matching template.
   */
  async function ownerOf(uri: string, haft: Haft): Promise<{ server: string; uri: string } | undefined> {
    if (namesServer(uri)) {
      const named = namedIn(uri);
      return named && (await isOpen(haft, named.server)) ? named : undefined;
    }
    // A server with a catch-all template must not answer for addresses that Haft issued and forgot.
    if (isOurs(uri)) return undefined;
    const listed = (await resourcesNow(haft)).find(({ entry }) => entry.uri === uri);
    if (listed) return { server: listed.server, uri };
    const pointer = whoPointedAt(haft, uri);
    if (pointer !== undefined && (await isOpen(haft, pointer))) return { server: pointer, uri };
    const fixedPart = ({ entry }: Owned): string => entry.uri.split("{", 1)[0] ?? "";
    const fitting = (await templatesNow(haft)).filter((one) => fixedPart(one) !== "" && uri.startsWith(fixedPart(one)));
    const [best] = fitting.toSorted((a, b) => fixedPart(b).length - fixedPart(a).length);
    return best && { server: best.server, uri };
  }
  return { resources, templates, ownerOf };
}

const keyOf = (server: string, uri: string): string => JSON.stringify([server, uri]);

async function mayRead(haft: Haft, server: string): Promise<boolean> {
  const { decision } = await haft.explain(READER, { server, uri: "any:" });
  return decision !== undefined && decision.decision !== "deny";
}

/** Shares one lookup among all requests of the same event-loop turn: a client may name a thousand addresses at once. */
function oncePerTurn<T>(look: (haft: Haft) => Promise<T>): (haft: Haft) => Promise<T> {
  const soon = new WeakMap<Haft, Promise<T>>();
  return (haft) => {
    const asked =
      soon.get(haft) ??
      nextTurn().then(() => {
        soon.delete(haft);
        return look(haft);
      });
    soon.set(haft, asked);
    return asked;
  };
}

/** Gives each resource a unique address: the first keeps its server's address, the others name their server. */
function onceEach(found: readonly Owned[]): ResourceEntry[] {
  const taken = new Set<string>();
  return found.map(({ server, entry }) => {
    if (!taken.has(entry.uri)) {
      taken.add(entry.uri);
      return entry;
    }
    return { ...entry, uri: addressAt(server, entry.uri) };
  });
}

function resourceContent(uri: string, block: Content): ReadResourceResult["contents"][number] {
  if (block.type === "image" || block.type === "audio") return { uri, mimeType: block.mediaType, blob: block.data };
  const about = block.type === "resource" && block.mediaType !== undefined ? { mimeType: block.mediaType } : {};
  if (block.type === "resource" && block.blob !== undefined) return { uri, ...about, blob: block.blob };
  return { uri, ...about, text: contentText(block) };
}
