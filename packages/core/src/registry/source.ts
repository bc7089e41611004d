import type { Basis } from "../tool/index.ts";

/** Where tools come from, in the order in which a model sees them. */
export const origins = ["builtin", "discovered", "custom", "plugin", "client", "mcp"] as const;

/** One of the `origins`. */
export type ToolOrigin = (typeof origins)[number];

/** One owner of tools: the built-in set, one MCP server, one plugin, the host's own program. */
export interface Source {
  readonly origin: ToolOrigin;
  /** The server, plugin or package. */
  readonly name: string;
  /**
   * On what the effects of these tools rest. Default: `enforced` for built-in tools, which touch the world through ports
   * only, and `claimed` for all others. A host may vouch for tools of its own that keep to the ports.
   */
  readonly basis?: Basis;
  readonly icon?: string;
}

/** On what the effects of an owner's tools rest. */
export const basisOf = (source: Source): Basis =>
  source.basis ?? (source.origin === "builtin" ? "enforced" : "claimed");

/** An owner as a person reads it: `MCP server "github"`. */
export const ownerOf = (source: Source): string =>
  source.origin === "mcp" ? `MCP server "${source.name}"` : `${source.origin} "${source.name}"`;

/** What something thrown says of itself. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
