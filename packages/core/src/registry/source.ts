import type { Basis } from "../tool/index.ts";

/** The origins of tools, in the order in which a model sees them. */
export const origins = ["builtin", "discovered", "custom", "plugin", "client", "mcp"] as const;

/** One of the `origins`. */
export type ToolOrigin = (typeof origins)[number];

/** One owner of tools: the built-in set, one MCP server, one plugin, the host's own program. */
export interface Source {
  readonly origin: ToolOrigin;
  /** The server, plugin or package. */
  readonly name: string;
  /**
   * The basis of these tools' effects. Default: `enforced` for built-in tools, which reach the world only through
   * ports, and `claimed` for all others. A host may vouch for tools of its own that use only the ports.
   */
  readonly basis?: Basis;
  readonly icon?: string;
}

/** The basis of the effects of an owner's tools. */
export const basisOf = (source: Source): Basis =>
  source.basis ?? (source.origin === "builtin" ? "enforced" : "claimed");

/** An owner in words for a person: `MCP server "github"`. */
export const ownerOf = (source: Source): string =>
  source.origin === "mcp" ? `MCP server "${source.name}"` : `${source.origin} "${source.name}"`;

/** The message of a thrown value. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
