import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join, relative } from "node:path";

/** Finds the ripgrep program once. `undefined` if it is missing. */
export type Ripgrep = () => Promise<string | undefined>;

/** The places to look for ripgrep. */
interface RipgrepOptions {
  /** Programs below this folder are never used: the workspace must not bring its own. */
  readonly workspace?: string;
  /** The search path; default: that of the process. */
  readonly path?: string;
  /** Use the program of the npm package `@vscode/ripgrep`. Default true. */
  readonly bundled?: boolean;
}

/** A finder that tries the npm package first, then PATH, and caches the answer. */
export function createRipgrep(options: RipgrepOptions = {}): Ripgrep {
  let found: Promise<string | undefined> | undefined;
  return () => {
    found ??= findRipgrep(options);
    return found;
  };
}

async function findRipgrep({ workspace, path = process.env.PATH ?? "", bundled = true }: RipgrepOptions) {
  const own = bundled ? await bundledRipgrep() : undefined;
  if (own && (await isProgram(own))) return own;
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder) && !isInside(workspace, folder));
  for (const folder of folders) {
    const candidate = join(folder, process.platform === "win32" ? "rg.exe" : "rg");
    if (await isProgram(candidate)) return candidate;
  }
  return undefined;
}

/** The package is an optional dependency and throws on a platform without a binary. */
async function bundledRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return rgPath;
  } catch {
    return undefined;
  }
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function isInside(workspace: string | undefined, folder: string): boolean {
  if (workspace === undefined) return false;
  const way = relative(workspace, folder);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}
