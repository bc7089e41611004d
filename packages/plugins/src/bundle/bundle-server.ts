import { existsSync } from "node:fs";
import { basename, join, resolve, sep } from "node:path";
import type { McpServerSettings } from "@haft/core/policy";
import { fail } from "@haft/core/tool";

type Plain = Readonly<Record<string, unknown>>;

/** Whether a `manifest.json` is that of an MCP bundle (`.mcpb`, formerly `.dxt`). */
export const isBundle = (manifest: Plain): boolean =>
  (manifest.manifest_version ?? manifest.dxt_version) !== undefined && isPlain(manifest.server);

/**
 * The server of an MCP bundle, with its variables still in it except for those of places.
 *
 * @throws HaftError `validation_failed` for a bundle that names no program, one outside of it, or another platform.
 */
export function bundleServer(manifest: Plain, root: string, platform = process.platform): McpServerSettings {
  const refuse = (why: string): never =>
    fail("validation_failed", `This MCP bundle cannot be used: ${why}.`, "Ask its author to correct it.");
  const { compatibility } = manifest;
  const platforms = isPlain(compatibility) ? textsIn(compatibility.platforms) : [];
  if (platforms.length > 0 && !platforms.includes(platform)) refuse(`it is for ${platforms.join(", ")} only`);
  const server = manifest.server as Plain;
  const config = isPlain(server.mcp_config) ? server.mcp_config : {};
  const overrides = isPlain(config.platform_overrides) ? config.platform_overrides[platform] : undefined;
  const { command, args, env } = { ...config, ...(isPlain(overrides) ? overrides : {}) };
  const fill = (text: string): string => withPlaces(text, root);
  const [program, first] = typeof command === "string" ? [fill(command), []] : programOf(server, root, refuse);
  return {
    command: ownProgram(program, root, refuse),
    args: [...first, ...textsIn(args).map(fill)],
    cwd: root,
    env: Object.fromEntries(
      [...Object.entries({ ...entriesOf(config.env), ...entriesOf(env) })].map(([key, value]) => [key, fill(value)]),
    ),
  };
}

/** The program of a bundle without `mcp_config`: the runtime of its kind with its entry point. */
function programOf(server: Plain, root: string, refuse: (why: string) => never): readonly [string, readonly string[]] {
  const entry = typeof server.entry_point === "string" ? server.entry_point : refuse("it names no program to start");
  const place = resolve(root, entry);
  if (!place.startsWith(root + sep) || !existsSync(place))
    refuse(`its entry point ${JSON.stringify(entry)} is not in it`);
  switch (server.type) {
    case "node":
      return ["node", [place]];
    case "python":
      return ["python3", [place]];
    case "binary":
      return [place, []];
    default:
      return refuse(`programs of the kind ${JSON.stringify(server.type)} are not known`);
  }
}

/** A relative path is one inside of the bundle; a bare name is looked up in the PATH, unless the bundle has such a file. */
function ownProgram(program: string, root: string, refuse: (why: string) => never): string {
  if (!program.includes("/")) return existsSync(join(root, program)) ? join(root, program) : program;
  const place = resolve(root, program);
  return place.startsWith(root + sep) && existsSync(place)
    ? place
    : refuse(`its program ${basename(program)} is not in it`);
}

/** The places that a manifest may name. The home is filled in at the start of the server, as in all settings of servers. */
export function withPlaces(text: string, root: string): string {
  const places: Readonly<Record<string, string>> = {
    ...{ __dirname: root, "/": sep, pathSeparator: sep },
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of settings
    ...{ DESKTOP: "${HOME}/Desktop", DOCUMENTS: "${HOME}/Documents", DOWNLOADS: "${HOME}/Downloads" },
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of settings
  };
  return text.replaceAll(/\$\{([\w/]+)\}/g, (all, name: string) => (Object.hasOwn(places, name) ? places[name]! : all));
}

const entriesOf = (value: unknown): Readonly<Record<string, string>> =>
  isPlain(value)
    ? Object.fromEntries(Object.entries(value).flatMap(([key, one]) => (typeof one === "string" ? [[key, one]] : [])))
    : {};
const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);
