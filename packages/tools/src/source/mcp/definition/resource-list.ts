import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { type ResourceEntry, readResourceEntry } from "./resource.ts";

/** What a server names. */
export interface ResourceList {
  readonly entries: readonly ResourceEntry[];
  /** How many were left out: they are broken, or have an address that cannot be shown. */
  readonly leftOut: number;
}

/** How long a server has for its list, and who may no longer want it. */
export interface ListLimits {
  /** Milliseconds for the whole list, however many pages it has. */
  readonly ms: number;
  readonly signal?: AbortSignal;
}

/** Far beyond every real server; one that never comes to an end must not keep us. */
const MOST_PAGES = 64;

/** All resources of a server, page by page; of templates the address is the template. What cannot be used is left out. */
export async function listRemoteResources(
  client: Client,
  kind: "resources" | "templates",
  { ms, signal }: ListLimits,
): Promise<ResourceList> {
  const late = AbortSignal.timeout(ms);
  const options = { timeout: ms, signal: signal ? AbortSignal.any([signal, late]) : late };
  const method = kind === "resources" ? "resources/list" : "resources/templates/list";
  const entries: ResourceEntry[] = [];
  const cursors = new Set<string>();
  let leftOut = 0;
  for (let params = {}; ; ) {
    const { listed, nextCursor } = await client.request({ method, params }, pageSchemas[kind], options);
    for (const one of listed) {
      const entry = entryIn(one, kind);
      if (entry) entries.push(entry);
      else leftOut += 1;
    }
    if (nextCursor === undefined || cursors.has(nextCursor) || cursors.size + 1 >= MOST_PAGES) break;
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
  return { entries, leftOut };
}

function entryIn(listed: unknown, kind: "resources" | "templates"): ResourceEntry | undefined {
  const about = (listed ?? {}) as Readonly<Record<string, unknown>>;
  const uri = kind === "resources" ? about.uri : about.uriTemplate;
  const { name, title, description, mimeType, size } = about;
  if (typeof uri !== "string" || typeof name !== "string") return undefined;
  return readResourceEntry({
    ...{ uri, name },
    title: textOf(title),
    description: textOf(description),
    mimeType: textOf(mimeType),
    size: typeof size === "number" && Number.isFinite(size) ? size : undefined,
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

interface Page {
  readonly listed: readonly unknown[];
  readonly nextCursor?: string;
}

/** The SDK's own schema refuses the whole list for one bad entry, so the list is read by this one. */
const pageSchema = (field: string): StandardSchemaV1<unknown, Page> => ({
  "~standard": {
    version: 1,
    vendor: "haft",
    validate(value) {
      const { [field]: listed, nextCursor } = (value ?? {}) as Readonly<Record<string, unknown>>;
      if (!Array.isArray(listed)) return { issues: [{ message: `the answer has no list of ${field}` }] };
      return { value: { listed, ...(typeof nextCursor === "string" ? { nextCursor } : {}) } };
    },
  },
});

const pageSchemas = { resources: pageSchema("resources"), templates: pageSchema("resourceTemplates") };
