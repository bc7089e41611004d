import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join, resolve } from "node:path";
import { fail } from "@haft/core/tool";
import { ARCHIVE, download } from "../archive/download.ts";
import { unpackTar } from "../archive/unpack-tar.ts";
import { isZip, unpackZip } from "../archive/unpack-zip.ts";
import { runProgram } from "../discovery/run-program.ts";
import { treeFiles } from "./tree.ts";

/** Milliseconds and bytes for a download. */
const FETCH_MS = 120_000;
const MOST_BYTES = 50_000_000;

const NPM_NAME = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(?:@[\w.^~<>=*-]+)?$/i;
const GIT_URL = /^(?:git\+)?((?:https|ssh|file):\/\/\S+|git@[\w.-]+:\S+)$/;

const COMMIT = /^[0-9a-f]{40}$/;
/** Git without programs that a repository names. */
const GIT = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

export interface FetchOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** The digest that an archive from an address must have. */
  readonly sha256?: string;
}

/**
 * Copies a plugin into a folder and runs nothing of it. A source is a folder, a tar or zip archive, the address of one, a
 * git address (`github:owner/name`, `https://….git#branch` or `#commit`), or the name of an npm package, whose scripts are
 * not run.
 *
 * @throws HaftError `validation_failed` for a source that cannot be read.
 */
export async function fetchPlugin(source: string, folder: string, options: FetchOptions): Promise<void> {
  const local = source.startsWith("~/") ? join(options.env.HOME ?? "", source.slice(2)) : resolve(options.cwd, source);
  const found = statSync(local, { throwIfNoEntry: false });
  if (found?.isDirectory()) return copyFolder(local, folder);
  if (found?.isFile()) return unpack(contentOf(local), folder);
  if (/^https?:\/\/\S+$/.test(source) && URL.canParse(source) && ARCHIVE.test(new URL(source).pathname))
    return unpack(await download(source, options), folder);
  const github = /^github:([\w.-]+\/[\w.-]+?)(#[\w./-]+)?$/.exec(source);
  if (github) return clone(`https://github.com/${github[1]}.git${github[2] ?? ""}`, folder, options);
  const address = GIT_URL.exec(source)?.[1];
  if (address !== undefined) return clone(address, folder, options);
  if (isAbsolute(source) || source.startsWith(".") || !NPM_NAME.test(source))
    return fail(
      "validation_failed",
      `There is no plugin at ${JSON.stringify(source)}.`,
      "Name a folder, a .tgz or .zip file, the address of one, github:owner/name, a git address, or an npm package.",
    );
  return fromNpm(source, folder, options);
}

/** The permanent place of a source's plugin: relative paths would mean another place later. */
export const lastingSource = (source: string, cwd: string): string => {
  const local = resolve(cwd, source);
  return statSync(local, { throwIfNoEntry: false }) ? local : source;
};

function copyFolder(from: string, to: string): void {
  // Reading the tree first refuses links that lead out, before one is copied.
  treeFiles(from);
  cpSync(from, to, {
    recursive: true,
    dereference: false,
    verbatimSymlinks: true,
    filter: (path) => basename(path) !== ".git",
  });
}

function contentOf(file: string): Uint8Array {
  if (statSync(file).size > MOST_BYTES)
    fail("validation_failed", `${file} has more than ${MOST_BYTES} bytes.`, "It is not a plugin.");
  return readFileSync(file);
}

function unpack(archive: Uint8Array, folder: string): void {
  const inner = `${folder}.unpacked`;
  mkdirSync(inner, { recursive: true });
  try {
    (isZip(archive) ? unpackZip : unpackTar)(archive, inner);
    // Archives of npm and of forges hold one folder.
    const names = readdirSync(inner);
    const only = names.length === 1 && statSync(join(inner, names[0]!)).isDirectory() ? join(inner, names[0]!) : inner;
    copyFolder(only, folder);
  } finally {
    rmSync(inner, { recursive: true, force: true });
  }
}

async function clone(address: string, folder: string, options: FetchOptions): Promise<void> {
  const [url = "", branch] = address.split("#");
  const commit = branch !== undefined && COMMIT.test(branch) ? branch : undefined;
  const git = { ...options, env: { ...options.env, GIT_ALLOW_PROTOCOL: "https:ssh:file", GIT_TERMINAL_PROMPT: "0" } };
  await start(
    [
      ...[...GIT, "clone", "--quiet", "--depth", "1", "--no-recurse-submodules"],
      ...(commit !== undefined ? ["--no-checkout"] : branch === undefined ? [] : ["--branch", branch]),
      ...["--", url, folder],
    ],
    git,
  );
  if (commit !== undefined) {
    await start([...GIT, "-C", folder, "fetch", "--quiet", "--depth", "1", "origin", commit], git);
    await start([...GIT, "-C", folder, "checkout", "--quiet", "--detach", commit], git);
  }
  rmSync(join(folder, ".git"), { recursive: true, force: true });
}

async function fromNpm(name: string, folder: string, options: FetchOptions): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), "haft-plugin-"));
  try {
    await start(["npm", "pack", name, "--ignore-scripts", "--silent", "--pack-destination", place], options);
    const file = readdirSync(place).find((entry) => entry.endsWith(".tgz"));
    if (file === undefined) fail("validation_failed", `npm found no package ${name}.`, "Check its name.");
    unpack(contentOf(join(place, file!)), folder);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function start(argv: readonly string[], { env, signal }: FetchOptions): Promise<void> {
  const ended = await runProgram(argv, { cwd: tmpdir(), env, signal, timeoutMs: FETCH_MS, mostBytes: 1_000_000 });
  if (ended.how === "exited" && ended.code === 0) return;
  const why = ended.how === "failed" ? ended.why : (ended.stderr || ended.stdout).trim().slice(-500);
  fail("validation_failed", `${argv[0]} could not fetch the plugin: ${why}`, "Check the source and your connection.");
}
