import type { Client } from "@modelcontextprotocol/client";
import { type ListLimits, listPages, textOf } from "./pages.ts";
import { type ResourceEntry, readResourceEntry } from "./resource.ts";

/** The resources that a server lists. */
interface ResourceList {
  readonly entries: readonly ResourceEntry[];
  /** How many were left out because they are broken or have an address that cannot be shown. */
  readonly leftOut: number;
}

/** All resources of a server, page by page; a template has its URI template as address. Unusable entries are left out. */
export async function listRemoteResources(
  client: Client,
  kind: "resources" | "templates",
  limits: ListLimits,
): Promise<ResourceList> {
  const isTemplates = kind === "templates";
  const method = isTemplates ? "resources/templates/list" : "resources/list";
  const listed = await listPages(client, method, isTemplates ? "resourceTemplates" : "resources", limits);
  const entries = listed.flatMap((one) => entryIn(one, kind) ?? []);
  return { entries, leftOut: listed.length - entries.length };
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
