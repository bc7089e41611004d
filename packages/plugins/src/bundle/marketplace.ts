import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve, sep } from "node:path";
import { fail } from "@haft/core/tool";
import { textOfFile } from "@haft/host/whole-file";
import { type FetchOptions, fetchPlugin } from "./fetch-plugin.ts";
import { type MarketplaceEntry, placeOf } from "./marketplace-entry.ts";

/** A marketplace that a person has added: a list of plugins, fetched again for every plugin of it. */
export interface KnownMarketplace {
  readonly name: string;
  readonly source: string;
}

/** The list of a marketplace. */
export interface Marketplace {
  readonly name: string;
  readonly plugins: readonly MarketplaceEntry[];
  /** The folder in front of relative paths, relative to the marketplace. */
  readonly base: string;
}

/** The marketplaces of a user, in a file of the state. */
export interface MarketplaceStore {
  list(): readonly KnownMarketplace[];
  write(marketplaces: readonly KnownMarketplace[]): void;
  /**
   * The plugin and the marketplace of `NAME@MARKET`, if that marketplace is known. Installed plugins have
   * `marketplace:NAME@MARKET`, which never means a package of npm.
   *
   * @throws HaftError `validation_failed` if an installed plugin's marketplace is no longer known.
   */
  find(source: string): { readonly plugin: string; readonly market: KnownMarketplace } | undefined;
}

/** The lists of Claude Code and of Codex. */
const FILES = [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"];
const MOST_BYTES = 5_000_000;
const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
/** `NAME@latest` is a version of an npm package, so a marketplace with such a name would take its place. */
const VERSION = /^(?:latest|next|alpha|beta|rc|canary|nightly|dev|stable|experimental|[vx]?\d.*)$/i;

export function marketplaceStore(state: string): MarketplaceStore {
  const root = join(state, "plugins");
  const file = join(root, "marketplaces.json");
  function list(): readonly KnownMarketplace[] {
    if (!existsSync(file)) return [];
    try {
      const value: unknown = JSON.parse(readFileSync(file, "utf8"));
      if (Array.isArray(value)) return value as KnownMarketplace[];
    } catch {
      // Said below, with the cure.
    }
    return fail("validation_failed", `The list of marketplaces cannot be read: ${file}.`, "Correct it, or remove it.");
  }
  return {
    list,
    write(marketplaces) {
      mkdirSync(root, { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.new`, `${JSON.stringify(marketplaces, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    find(source) {
      const [, prefix, plugin, name] = /^(marketplace:)?([\w.-]+)@([\w.-]+)$/.exec(source) ?? [];
      if (plugin === undefined) return undefined;
      const market = list().find((one) => one.name === name);
      if (market === undefined && prefix !== undefined)
        fail(
          "validation_failed",
          `The plugin ${plugin} is from the marketplace ${name}, which is not added.`,
          "Add it with `haft plugin marketplace add SOURCE`.",
        );
      return market === undefined ? undefined : { plugin, market };
    },
  };
}

/**
 * Fetches the list of a marketplace: an absolute path of a folder or archive, or a git repository. Runs nothing of it.
 *
 * @throws HaftError `validation_failed` for a source without a list, and for a name that cannot be used.
 */
export const readMarketplace = (source: string, options: FetchOptions): Promise<Marketplace> =>
  withRoot(source, options, async (root) => listIn(root));

/**
 * Copies a plugin of a marketplace into a folder. Runs nothing of it.
 *
 * @throws HaftError `validation_failed` for a plugin that is not in the list, or whose place is outside of the marketplace.
 */
export function fetchFromMarketplace(
  { plugin, market }: { readonly plugin: string; readonly market: KnownMarketplace },
  folder: string,
  options: FetchOptions,
): Promise<void> {
  return withRoot(market.source, options, async (root, place) => {
    const { name, plugins, base } = listIn(root);
    if (name !== market.name)
      fail(
        "validation_failed",
        `The marketplace ${market.name} is now named ${name}.`,
        `If that is intended, run \`haft plugin marketplace remove ${market.name}\` and add it again.`,
      );
    const entry = plugins.find((one) => one.name === plugin);
    if (!entry)
      return fail(
        "validation_failed",
        `The marketplace ${name} has no plugin ${plugin}.`,
        `It has: ${plugins.map((one) => one.name).join(", ") || "none"}.`,
      );
    const { path, fetch } = placeOf(entry, isLocal(market.source));
    const empty = join(place, "empty");
    mkdirSync(empty);
    if (fetch === undefined) {
      const written = path ?? ".";
      return fetchPlugin(inside(root, isAbsolute(written) ? written : join(base, written), entry), folder, options);
    }
    // Names of packages and repositories must not be taken for folders of the user, so they are fetched from an empty one.
    const elsewhere = { ...options, cwd: empty };
    if (path === undefined) return fetchPlugin(fetch, folder, elsewhere);
    const whole = join(place, "repository");
    await fetchPlugin(fetch, whole, elsewhere);
    return fetchPlugin(inside(realpathSync(whole), path, entry), folder, options);
  });
}

/** Gives the folder of a marketplace, and a place for files that is removed afterwards. */
async function withRoot<T>(
  source: string,
  options: FetchOptions,
  use: (root: string, place: string) => Promise<T>,
): Promise<T> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "haft-marketplace-")));
  try {
    const isFolder = isAbsolute(source) && statSync(source, { throwIfNoEntry: false })?.isDirectory();
    if (isFolder) return await use(realpathSync(source), place);
    const root = join(place, "list");
    // A folder below the working directory that looks like the address must not take its place.
    await fetchPlugin(source, root, { ...options, cwd: place });
    return await use(root, place);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function listIn(root: string): Marketplace {
  const file = FILES.find((one) => existsSync(join(root, one)));
  if (file === undefined)
    return fail("validation_failed", "This is not a marketplace.", `It needs ${FILES.join(" or ")}.`);
  const bad = (why: string): never =>
    fail("validation_failed", `${file} of this marketplace cannot be used: ${why}.`, "Ask its author to correct it.");
  let value: unknown;
  try {
    value = JSON.parse(textOfFile(inside(root, file), MOST_BYTES) ?? "");
  } catch (thrown) {
    return bad((thrown as Error).message);
  }
  const { name, plugins, metadata } = isPlain(value) ? value : {};
  if (typeof name !== "string" || !NAME.test(name))
    return bad("its name must begin with a letter and have letters, digits, dots and dashes");
  if (VERSION.test(name)) return bad(`"${name}" would be read as an npm version after an @`);
  if (!Array.isArray(plugins)) return bad("it has no list of plugins");
  const entries = plugins.filter(
    (one): one is MarketplaceEntry => isPlain(one) && typeof one.name === "string" && NAME.test(one.name),
  );
  const names = entries.map((one) => one.name);
  const twice = names.find((one, at) => names.indexOf(one) !== at);
  if (twice !== undefined) return bad(`it lists ${twice} twice`);
  const base = isPlain(metadata) && typeof metadata.pluginRoot === "string" ? metadata.pluginRoot : ".";
  return { name, plugins: entries, base };
}

/** A path of a marketplace as a real path. Refuses one that leads out of its folder, also through a link. */
function inside(root: string, path: string, entry?: MarketplaceEntry): string {
  const place = resolve(root, path);
  const real = existsSync(place) ? realpathSync(place) : undefined;
  if (real === root || real?.startsWith(root + sep)) return real;
  const what = entry ? `The plugin ${entry.name}` : "The list";
  return fail(
    "validation_failed",
    real === undefined
      ? `${what} is not at ${JSON.stringify(path)} in the marketplace.`
      : `${what} points outside the marketplace's folder: ${JSON.stringify(path)}.`,
    "Ask the author of the marketplace to correct it.",
  );
}

/** Whether a marketplace is on this machine, so that its entries may name places on it. */
const isLocal = (source: string): boolean => source.startsWith("/") || /^(?:git\+)?file:/.test(source);

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
