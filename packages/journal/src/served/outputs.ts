import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { basename } from "@haft/core/tool";
import { ignoredFolders, pathsGitIgnores } from "../direct/git.ts";

/** Names of folders that common programs use for output they can make again. */
const OUTPUTS: ReadonlySet<string> = new Set(
  [
    "dist build out output target coverage bin obj _site _build logs log tmp temp test-results playwright-report",
    ".next .nuxt .output .svelte-kit .astro .vite .turbo .parcel-cache .cache .nyc_output .angular .docusaurus .expo",
    ".gradle .pytest_cache .mypy_cache .ruff_cache .tox .dart_tool .wrangler .tmp __pycache__ storybook-static",
  ]
    .join(" ")
    .split(" "),
);
/** The ones that programs create if they are missing: in a read-only folder, they could not. */
const MADE = "dist build out target coverage .next .nuxt .output .svelte-kit .astro .cache .turbo tmp".split(" ");
/** Installed code is not output, because other programs run it. Caches in it are. */
const INSTALLED = "node_modules";
const CACHES: readonly string[] = [".cache", ".vite", ".vite-temp", ".tmp"];

/** The folders that a served job may write. */
export interface Outputs {
  readonly folders: readonly string[];
  /** Removes the folders that were created for it and are still empty. */
  release(): void;
}

/**
 * The output folders of a workspace: git ignores them, and their name says that they are output. Both conditions are
 * needed: an ignored file may be a person's only copy, and anybody can add a line to `.gitignore`. Creates the usual
 * ones that are missing.
 */
export async function outputsOf(root: string, cwd: string): Promise<Outputs> {
  const ignored = await ignoredFolders(root);
  const caches = ignored
    .filter((folder) => basename(folder) === INSTALLED)
    .flatMap((folder) => CACHES.map((name) => `${folder}/${name}`));
  const places = [...new Set([root, cwd])];
  const usual = places.flatMap((place) => MADE.map((name) => `${place}/${name}`)).filter((path) => !existsSync(path));
  const missing = [...(await pathsGitIgnores(root, usual)), ...caches.filter((path) => !existsSync(path))];
  const made = missing.filter(make);
  return {
    folders: [
      ...ignored.filter((folder) => OUTPUTS.has(basename(folder))),
      ...caches.filter((path) => existsSync(path)),
      ...made.filter((path) => !caches.includes(path)),
    ],
    release() {
      for (const folder of made) removeEmpty(folder);
    },
  };
}

function make(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It was filled, or another process removed it first.
  }
}
