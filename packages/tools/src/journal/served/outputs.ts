import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { basename } from "@haft/core/tool";
import { ignoredFolders, pathsGitIgnores } from "../direct/git.ts";

/** Names of folders into which programs of the field put what they can make again. */
const OUTPUTS: ReadonlySet<string> = new Set(
  [
    "dist build out output target coverage bin obj _site _build logs log tmp temp test-results playwright-report",
    ".next .nuxt .output .svelte-kit .astro .vite .turbo .parcel-cache .cache .nyc_output .angular .docusaurus .expo",
    ".gradle .pytest_cache .mypy_cache .ruff_cache .tox .dart_tool .wrangler .tmp __pycache__ storybook-static",
  ]
    .join(" ")
    .split(" "),
);
/** Of these, what a program makes when it is missing: nothing can be made in a folder that is read-only. */
const MADE = "dist build out target coverage .next .nuxt .output .svelte-kit .astro .cache .turbo tmp".split(" ");
/** Installed code is no output: other programs run it. Caches in it are. */
const INSTALLED = "node_modules";
const CACHES: readonly string[] = [".cache", ".vite", ".vite-temp", ".tmp"];

/** The folders that a served job may fill. */
export interface Outputs {
  readonly folders: readonly string[];
  /** Removes again what was made for it and is still empty. */
  release(): void;
}

/**
 * The output folders of a workspace: those that git ignores and that have a name which says so. Both are needed: what git
 * ignores may be all that a person has of something, and anybody can add a line to `.gitignore`. The usual ones that are
 * missing are made.
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
    // It has been filled, or somebody was faster.
  }
}
