import { randomBytes } from "node:crypto";
import { open } from "node:fs/promises";
import type { Spilled } from "@haft/core/tool";
import { counted } from "@haft/core/tool";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { McpContent } from "./content.ts";

/** Default bytes of a page, unless the client requests fewer. */
const PAGE_BYTES = 100_000;

/** Maximum remembered results; the files stay, but the oldest can no longer be read as resources. */
const REMEMBERED = 1_000;

const ROOT = "haft://results/";

/**
 * The full text of results that were too long for the model, as resources. A client sees those of its own calls only.
 */
export interface ResultStore extends Required<Pick<McpContent, "resources" | "templates" | "read">> {
  /** Creates a link to a full result. */
  add(spilled: Spilled, tool: string): CallToolResult["content"][number];
}

/** Results by their unguessable ids. Clients of one user can read each other's. */
export type KeptResults = Map<string, { readonly spilled: Spilled; readonly tool: string }>;

export function createResultStore(kept: KeptResults = new Map()): ResultStore {
  const about = (id: string, { spilled, tool }: { readonly spilled: Spilled; readonly tool: string }) => ({
    uri: ROOT + id,
    name: `${tool}-${id.slice(0, 8)}`,
    title: `The whole result of ${tool}`,
    description: `${counted(spilled.bytes, "byte")}, ${counted(spilled.lines, "line")}; shown: ${spilled.shown}. Read pages with ?offset= and &limit= (bytes).`,
    mimeType: "text/plain",
    size: spilled.bytes,
  });
  return {
    add(spilled, tool) {
      const id = randomBytes(16).toString("hex");
      kept.set(id, { spilled, tool });
      const [oldest] = kept.keys();
      if (kept.size > REMEMBERED && oldest !== undefined) kept.delete(oldest);
      return { type: "resource_link", ...about(id, { spilled, tool }) };
    },
    resources: () => [...kept].map(([id, one]) => about(id, one)),
    templates: () => [
      {
        uriTemplate: `${ROOT}{id}{?offset,limit}`,
        name: "result-page",
        title: "A page of a long result",
        description: `From byte offset, at most limit bytes (default ${PAGE_BYTES}).`,
        mimeType: "text/plain",
      },
    ],
    async read(uri) {
      const found = uri.startsWith(ROOT) && URL.canParse(uri) ? new URL(uri) : undefined;
      const one = found && kept.get(found.pathname.slice(1));
      if (!one) return undefined;
      const offset = whole(found.searchParams.get("offset"), 0);
      const limit = Math.max(1, whole(found.searchParams.get("limit"), PAGE_BYTES));
      const page = await pageOf(one.spilled.path, offset, Math.min(limit, PAGE_BYTES));
      const base = ROOT + found.pathname.slice(1);
      const next = page.end < one.spilled.bytes ? `${base}?offset=${page.end}&limit=${limit}` : undefined;
      const place = { "haft/offset": page.start, "haft/bytes": one.spilled.bytes };
      return {
        contents: [
          { uri, mimeType: "text/plain", text: page.text, _meta: { ...place, ...(next ? { "haft/next": next } : {}) } },
        ],
      };
    },
  };
}

/** Some bytes of a file as text; both ends are moved to character boundaries. */
async function pageOf(path: string, offset: number, limit: number) {
  const file = await open(path, "r");
  try {
    // A character has at most four bytes: this leaves room for one more, so that even the smallest page holds a whole
    // one.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(limit + 4), 0, limit + 4, offset);
    const bytes = buffer.subarray(0, bytesRead);
    const isInside = (at: number) => at < bytes.length && (bytes[at]! & 0xc0) === 0x80;
    let from = 0;
    while (offset > 0 && from < 4 && isInside(from)) from++;
    let to = Math.min(limit, bytes.length);
    while (isInside(to)) to++;
    to = Math.max(to, from);
    return { text: bytes.subarray(from, to).toString("utf8"), start: offset + from, end: offset + to };
  } finally {
    await file.close();
  }
}

function whole(text: string | null, otherwise: number): number {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : otherwise;
}
