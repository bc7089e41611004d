/** Scripts that package managers run without being told to: at install, pack and publish. */
const LIFECYCLE =
  /^(?:pre|post)?(?:install|uninstall|pack|publish|prepare|version|shrinkwrap)$|^(?:prepublishOnly|dependencies)$/;
/** Fields of a manifest with which a package manager runs, loads or replaces something. */
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
 * Whether two texts of a package.json differ in what runs by itself. `pre` and `post` of a script of one's own run only
 * when that is run by name. What cannot be read differs.
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
