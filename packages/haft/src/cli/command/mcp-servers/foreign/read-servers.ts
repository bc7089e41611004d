import type { McpServerSettings } from "@haft/core/policy";
import { textOfFile } from "@haft/host/whole-file";
import { parse as parseToml } from "smol-toml";
import { parseJsonFile } from "../../../agent-file/json-file.ts";
import { UsageError } from "../../../exit-code.ts";
import type { ForeignConfig } from "./agents.ts";

/** Maximum bytes; a larger file is not a list of servers. */
const MOST_BYTES = 20_000_000;

/** A server that another program's file lists. */
export interface ForeignServer {
  readonly name: string;
  readonly file: string;
  /** Absent if the entry cannot be used; `why` then says why. */
  readonly server?: McpServerSettings;
  readonly why?: string;
}

/**
 * The servers of a file. A missing file has none.
 *
 * @throws UsageError when the file cannot be read.
 */
export function readServers(file: string, config: ForeignConfig): ForeignServer[] {
  const listed = config.at.reduce<unknown>((at, key) => (at as Raw | undefined)?.[key], contentOf(file, config.format));
  if (typeof listed !== "object" || listed === null || Array.isArray(listed)) return [];
  return Object.entries(listed as Raw).map(([name, entry]): ForeignServer => {
    const found = typeof entry === "object" && entry !== null ? config.read(entry as Raw) : undefined;
    const server = found && withoutEmpty(found);
    const own = { name, file };
    if (!server) return { ...own, why: "it has neither a command nor an address" };
    const asked = /\$\{(input|env|command):[^}]*\}/.exec(JSON.stringify(server));
    // VS Code asks for inputs; `${env:NAME}` has another spelling here.
    if (asked && asked[1] !== "env")
      return { ...own, why: `it needs ${asked[0]}, which only that program can fill in` };
    return {
      ...own,
      server: asked ? (JSON.parse(plainVariables(JSON.stringify(server))) as McpServerSettings) : server,
    };
  });
}

type Raw = Readonly<Record<string, unknown>>;

const plainVariables = (text: string): string => text.replaceAll(/\$\{env:(?=[A-Za-z0-9_]+\})/g, "$${");

/** The settings take no `undefined`, and a server is switched on unless they say otherwise. */
const withoutEmpty = ({ enabled, ...server }: McpServerSettings): McpServerSettings =>
  JSON.parse(JSON.stringify({ ...server, ...(enabled === false ? { enabled } : {}) })) as McpServerSettings;

function contentOf(file: string, format: ForeignConfig["format"]): Raw {
  const text = textOfFile(file, MOST_BYTES);
  if (text === undefined || format === "json") return parseJsonFile(file, text);
  try {
    return parseToml(text);
  } catch (thrown) {
    throw new UsageError(`${file} is not TOML: ${(thrown as Error).message.split("\n", 1)[0]}`, "Correct it by hand.");
  }
}
