import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, resolve, sep } from "node:path";
import type { HooksSettings, LanguageServerSettings, McpServerSettings } from "@haft/core/policy";
import { fail } from "@haft/core/tool";
import { textOfFile } from "@haft/host/whole-file";
import { bundleServer, isBundle } from "./bundle-server.ts";
import type { PluginContents } from "./contents.ts";
import { optionsIn } from "./options.ts";

type Plain = Readonly<Record<string, unknown>>;

const MOST_BYTES = 1_000_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Manifests by format, in the order in which they are looked for. */
const MANIFESTS = [
  ["claude", ".claude-plugin/plugin.json"],
  ["codex", ".codex-plugin/plugin.json"],
  ["gemini", "gemini-extension.json"],
  ["mcpb", "manifest.json"],
] as const;

/**
 * Reads a plugin of Claude Code, of Codex, an extension of Gemini CLI, an MCP bundle, or a package with a module that registers tools
 * (`haft.plugin` or `openclaw.extensions` in its package.json, else its index file). Runs nothing.
 *
 * @throws HaftError `validation_failed` if there is no plugin, or its manifest cannot be read.
 */
export function readContents(folder: string, fallback = basename(folder)): PluginContents {
  const root = realpathSync(folder);
  const reader = new Reader(root);
  const packed = reader.json("package.json") ?? {};
  const [format, manifest] = manifestOf(reader);
  const entry = reader.entry(packed, format === undefined);
  const name = [manifest.name, packed.name].map(nameOf).find((one) => one !== undefined) ?? nameOf(fallback);
  if (name === undefined)
    return fail("validation_failed", "This plugin has no valid name.", "Add a name of letters, digits and dashes.");
  const parts = {
    skillFolders: [...reader.folders("skills"), ...reader.folders(...pathsIn(manifest.skills))],
    commandFolders: reader.folders(...(manifest.commands === undefined ? ["commands"] : pathsIn(manifest.commands))),
    agentFolders: reader.folders(...(manifest.agents === undefined ? ["agents"] : pathsIn(manifest.agents))),
    hooks: reader.hooks(manifest.hooks),
    mcpServers: format === "mcpb" ? { [name]: bundleServer(manifest, root) } : reader.servers(manifest.mcpServers),
    lspServers: reader.languageServers(manifest.lspServers),
  };
  if (format === undefined && entry === undefined && isEmpty(parts))
    return fail(
      "validation_failed",
      `${JSON.stringify(name)} is not a plugin: it has no manifest, no skills, commands, agents, hooks or servers, and no module that registers tools.`,
      'Add .claude-plugin/plugin.json, gemini-extension.json, or "haft": {"plugin": "./index.js"} in its package.json.',
    );
  return {
    ...{ name, format: format ?? "haft", ...parts },
    ...(typeof manifest.version === "string"
      ? { version: manifest.version }
      : typeof packed.version === "string"
        ? { version: packed.version }
        : {}),
    ...(typeof manifest.description === "string" ? { description: manifest.description } : {}),
    ...(entry === undefined ? {} : { entry }),
    options: optionsIn(manifest.userConfig ?? manifest.user_config, root, reader.problems),
    installScripts: scriptsOf(packed),
    excluded: listOf(manifest.excludeTools),
    problems: [
      ...reader.problems,
      ...IDLE.flatMap((key) => (manifest[key] === undefined ? [] : [`${key} has no effect`])),
    ],
  };
}

/** Parts of other programs that have no effect here. */
const IDLE = ["outputStyles", "workflows", "experimental", "channels", "apps", "contextFileName"];

/** Scripts that package managers run when a package is installed. */
const INSTALL = ["preinstall", "install", "postinstall", "prepare", "prepublish"];

const scriptsOf = ({ scripts }: Plain): Readonly<Record<string, string>> =>
  Object.fromEntries(
    INSTALL.flatMap((key) => (isPlain(scripts) && typeof scripts[key] === "string" ? [[key, scripts[key]]] : [])),
  );

function manifestOf(reader: Reader): readonly [PluginContents["format"] | undefined, Plain] {
  for (const [format, file] of MANIFESTS) {
    const manifest = reader.json(file);
    if (manifest && (format !== "mcpb" || isBundle(manifest))) return [format, manifest];
  }
  return [undefined, {}];
}

/** Reads the parts of one plugin; every path stays inside it. */
class Reader {
  readonly problems: string[] = [];
  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** A path of a manifest, if something inside the plugin is there. */
  inside(path: string): string | undefined {
    const place = resolve(this.root, path);
    if (!existsSync(place)) return undefined;
    const real = realpathSync(place);
    if (real === this.root || real.startsWith(this.root + sep)) return real;
    this.problems.push(`${JSON.stringify(path)} points outside the plugin and is ignored`);
    return undefined;
  }

  json(path: string): Plain | undefined {
    const file = this.inside(path);
    if (file === undefined) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(textOfFile(file, MOST_BYTES) ?? "");
    } catch (thrown) {
      return fail(
        "validation_failed",
        `${path} of this plugin is not JSON: ${(thrown as Error).message}.`,
        "Ask its author to correct it.",
      );
    }
    return isPlain(value)
      ? value
      : fail("validation_failed", `${path} of this plugin is not an object.`, "Ask its author to correct it.");
  }

  folders(...paths: readonly string[]): readonly string[] {
    return paths.flatMap((path) => {
      const place = this.inside(path);
      return place !== undefined && statSync(place).isDirectory() ? [place] : [];
    });
  }

  hooks(written: unknown): HooksSettings {
    const value =
      typeof written === "string" ? this.json(written) : isPlain(written) ? written : this.json("hooks/hooks.json");
    const hooks = isPlain(value?.hooks) ? value.hooks : value;
    if (hooks === undefined) return {};
    const good = Object.entries(hooks).filter(
      ([, groups]) =>
        Array.isArray(groups) &&
        groups.every((group) => isPlain(group) && Array.isArray(group.hooks) && group.hooks.every(isPlain)),
    );
    if (good.length < Object.keys(hooks).filter((key) => key !== "description").length)
      this.problems.push("some of its hooks cannot be read");
    return Object.fromEntries(good) as HooksSettings;
  }

  servers(written: unknown): Readonly<Record<string, McpServerSettings>> {
    if (typeof written === "string" && /\.(?:mcpb|dxt)$/.test(written)) {
      this.problems.push(`its server ${JSON.stringify(written)} is a bundle inside it: add that separately`);
      return {};
    }
    const value =
      typeof written === "string" ? this.json(written) : isPlain(written) ? written : this.json(".mcp.json");
    const servers = isPlain(value?.mcpServers) ? value.mcpServers : value;
    const good = Object.entries(servers ?? {}).filter(
      ([name, server]) =>
        NAME.test(name) &&
        isPlain(server) &&
        (typeof server.command === "string" || typeof (server.url ?? server.httpUrl) === "string"),
    );
    if (good.length < Object.keys(servers ?? {}).length) this.problems.push("some of its MCP servers cannot be read");
    return Object.fromEntries(good.map(([name, server]) => [name, serverOf(server as Plain, this.root)]));
  }

  languageServers(written: unknown): Readonly<Record<string, LanguageServerSettings>> {
    const value =
      typeof written === "string" ? this.json(written) : isPlain(written) ? written : this.json(".lsp.json");
    const servers = Object.entries(value ?? {});
    const good = servers.flatMap(([name, server]) => {
      const read = NAME.test(name) && isPlain(server) ? languageServerOf(server, this.root) : undefined;
      return read ? [[name, read] as const] : [];
    });
    if (good.length < servers.length) this.problems.push("some of its language servers cannot be read");
    return Object.fromEntries(good);
  }

  entry({ haft, openclaw, main }: Plain, isPackage: boolean): string | undefined {
    const named = [
      isPlain(haft) ? haft.plugin : undefined,
      ...listOf(isPlain(openclaw) ? openclaw.extensions : undefined),
    ];
    const others =
      isPackage && this.inside("skills") === undefined
        ? [main, "index.ts", "index.js", "index.mjs", "src/index.ts"]
        : [];
    for (const path of [...named, ...others]) {
      const file = typeof path === "string" ? this.inside(path) : undefined;
      if (file !== undefined && statSync(file).isFile()) return file;
    }
    return undefined;
  }
}

/** The variables of a plugin's place, as each format writes them. */
export const placed = (text: string, root: string): string =>
  text.replaceAll(/\$\{(?:CLAUDE_PLUGIN_ROOT|PLUGIN_ROOT|extensionPath)\}/g, () => root).replaceAll(/\$\{\/\}/g, sep);

function serverOf(server: Plain, root: string): McpServerSettings {
  const fill = (value: unknown): string => placed(String(value), root);
  const texts = (value: unknown) =>
    isPlain(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one)])) : undefined;
  const [env, headers] = [texts(server.env), texts(server.headers)];
  const url = server.url ?? server.httpUrl;
  if (typeof server.command !== "string")
    return { type: server.type === "sse" ? "sse" : "http", url: fill(url), ...(headers ? { headers } : {}) };
  return {
    command: fill(server.command),
    args: listOf(server.args).map(fill),
    cwd: typeof server.cwd === "string" ? resolve(root, fill(server.cwd)) : root,
    ...{ env: { ...env, CLAUDE_PLUGIN_ROOT: root } },
  };
}

/** A language server as Claude Code's plugins write it. One without extensions is shown, and has no file to start for. */
function languageServerOf(server: Plain, root: string): LanguageServerSettings | undefined {
  const { command, args, env, extensionToLanguage, initializationOptions, startupTimeout } = server;
  if (typeof command !== "string") return undefined;
  const extensions = isPlain(extensionToLanguage) ? Object.keys(extensionToLanguage) : listOf(server.extensions);
  const variables = isPlain(env) ? Object.entries(env) : [];
  return {
    command: placed(command, root),
    args: listOf(args).map((word) => placed(word, root)),
    extensions,
    env: {
      ...Object.fromEntries(variables.map(([key, value]) => [key, placed(String(value), root)])),
      CLAUDE_PLUGIN_ROOT: root,
    },
    ...(isPlain(initializationOptions) ? { initializationOptions } : {}),
    ...(typeof startupTimeout === "number" && startupTimeout > 0 ? { timeoutMs: Math.round(startupTimeout) } : {}),
  };
}

const isEmpty = ({
  hooks,
  mcpServers,
  lspServers,
  ...folders
}: Pick<
  PluginContents,
  "skillFolders" | "commandFolders" | "agentFolders" | "hooks" | "mcpServers" | "lspServers"
>): boolean =>
  Object.values(folders).every((list) => list.length === 0) &&
  Object.keys({ ...hooks, ...mcpServers, ...lspServers }).length === 0;

/** A package `@scope/name` is called `scope-name`, and a bundle "My Server" `My-Server`. */
const nameOf = (value: unknown): string | undefined => {
  const name = typeof value === "string" ? value.replace(/^@/, "").trim().replaceAll(/[/ ]+/g, "-") : "";
  return NAME.test(name) ? name : undefined;
};
const pathsIn = (value: unknown): readonly string[] => (typeof value === "string" ? [value] : listOf(value));
const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);
