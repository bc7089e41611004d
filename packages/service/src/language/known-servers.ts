import { existsSync } from "node:fs";
import { delimiter, extname, join } from "node:path";
import type { LanguageServerSettings } from "@haft/core/policy";

type Options = Readonly<Record<string, unknown>>;

/** A language server that can be started. */
export interface ServerPlan {
  readonly name: string;
  readonly argv: readonly string[];
  readonly extensions: readonly string[];
  readonly settings: LanguageServerSettings;
  readonly initializationOptions: Options;
  readonly needsConsent: boolean;
}

interface KnownServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly extensions: readonly string[];
  /** Those of the settings go over them. */
  readonly options?: Readonly<Record<string, Options>>;
}

const SCRIPTS = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
const C_FILES = [".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".mm"];

/** The servers that need no settings. */
const KNOWN: Readonly<Record<string, KnownServer>> = {
  typescript: {
    ...{ command: "typescript-language-server", args: ["--stdio"], extensions: SCRIPTS },
    // While a project loads, its second server would answer without knowing the other files.
    options: { tsserver: { useSyntaxServer: "never" } },
  },
  pyright: { command: "pyright-langserver", args: ["--stdio"], extensions: [".py", ".pyi"] },
  gopls: { command: "gopls", args: [], extensions: [".go"] },
  "rust-analyzer": { command: "rust-analyzer", args: [], extensions: [".rs"] },
  clangd: { command: "clangd", args: [], extensions: C_FILES },
};

/** Extensions whose language has another name than the extension. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact" },
  ...{ ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact" },
  ...{ ".py": "python", ".pyi": "python", ".rs": "rust", ".rb": "ruby", ".sh": "shellscript", ".md": "markdown" },
  ...{ ".h": "c", ".cc": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp" },
  ...{ ".m": "objective-c", ".mm": "objective-cpp", ".cs": "csharp", ".kt": "kotlin", ".hs": "haskell" },
};

/** The protocol's name for the language of a file. */
export const languageOf = (path: string): string => LANGUAGES[extname(path)] ?? extname(path).slice(1);

/** The settings and places from which servers are found. */
export interface ServerSources {
  readonly settings: Readonly<Record<string, LanguageServerSettings>>;
  readonly root: string;
  readonly trusted: boolean;
  readonly path: string;
}

/**
 * The servers of the settings first, then the known ones that are installed: in `node_modules/.bin` of the project or in
 * the PATH. Settings under the name of a known server change that one.
 */
export function findServers({ settings, root, trusted, path }: ServerSources): readonly ServerPlan[] {
  const folders = path.split(delimiter).filter((folder) => folder.startsWith("/"));
  const own = join(root, "node_modules", ".bin");
  const names = [...new Set([...Object.keys(settings), ...Object.keys(KNOWN)])];
  return names.flatMap((name): ServerPlan[] => {
    const written = settings[name];
    const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
    const extensions = (written?.extensions ?? known?.extensions ?? []).map(dotted);
    if (written?.enabled === false || extensions.length === 0) return [];
    const args = written?.args ?? (written?.command === undefined ? known?.args : undefined) ?? [];
    const initializationOptions = withDefaults(written?.initializationOptions ?? {}, known?.options ?? {});
    const common = { name, extensions, settings: written ?? {}, initializationOptions };
    if (written?.command !== undefined) return [{ ...common, argv: [written.command, ...args], needsConsent: false }];
    const program = [own, ...folders].map((folder) => join(folder, known!.command)).find((file) => existsSync(file));
    if (program === undefined) return [];
    // A program that the project brings is the project's: without trust somebody has to agree to it.
    const isForeign = program.startsWith(`${root}/`) && !trusted;
    return [{ ...common, argv: [program, ...args], needsConsent: isForeign }];
  });
}

const dotted = (extension: string): string => (extension.startsWith(".") ? extension : `.${extension}`);

/** The options of the settings; the groups in them that have defaults get these. */
function withDefaults(options: Options, defaults: Readonly<Record<string, Options>>): Options {
  const groups = Object.entries(defaults).map(
    ([key, group]) => [key, { ...group, ...(options[key] as Options) }] as const,
  );
  return { ...options, ...Object.fromEntries(groups) };
}

/** The server for a file, by its extension. */
export const serverPlanFor = (servers: readonly ServerPlan[], path: string): ServerPlan | undefined =>
  servers.find(({ extensions }) => extensions.includes(extname(path)));
