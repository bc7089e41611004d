/** Scripts that package managers run automatically: at install, pack and publish. */
const LIFECYCLE =
  /^(?:pre|post)?(?:install|uninstall|pack|publish|prepare|version|shrinkwrap)$|^(?:prepublishOnly|dependencies)$/;
/** Manifest fields that make a package manager run, load or replace something. */
const GOVERNING = [
  "gypfile",
  "bin",
  "packageManager",
  "pnpm",
  "overrides",
  "resolutions",
  "workspaces",
  "husky",
  "lint-staged",
];

/**
 * Whether two texts of a package.json differ in what runs by itself. The `pre` and `post` scripts of a user's own
 * script run only when somebody runs that script by name. Unreadable text counts as different.
 */
export function changesLifecycle(before: string | undefined, after: string | undefined): boolean {
  const [old, now] = [governingPart(before), governingPart(after)];
  return old === undefined || now === undefined || old !== now;
}

function governingPart(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.trim() === "") return JSON.stringify([[], []]);
  try {
    const manifest = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const scripts = Object.entries((manifest.scripts ?? {}) as Record<string, unknown>);
    const own = scripts.filter(([name]) => LIFECYCLE.test(name)).sort(([a], [b]) => (a < b ? -1 : 1));
    const fields = GOVERNING.flatMap((name) => (name in manifest ? [[name, manifest[name]]] : []));
    return JSON.stringify([own, fields]);
  } catch {
    return undefined;
  }
}
