import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../../", import.meta.url));
const bundle = join(packages, "haft/dist/cli.cjs");

/**
 * Arguments for Node: the bundle when it is newer than every source (it starts five times as fast), else the sources
 * themselves, so that no test depends on a stale build.
 */
export const HAFT: readonly string[] =
  existsSync(bundle) && statSync(bundle).mtimeMs > newestSource()
    ? [join(packages, "haft/bin/haft.mjs")]
    : ["--conditions=haft-source", "--disable-warning=ExperimentalWarning", join(packages, "haft/src/cli/main.ts")];

function newestSource(): number {
  const files = globSync(join(packages, "*/src/**/*.ts"), { exclude: (path) => path.endsWith(".test.ts") });
  return Math.max(...files.map((file) => statSync(file).mtimeMs));
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A scratch folder with a home and a workspace of its own. Nothing of this machine's settings is read. */
export interface Scratch extends Disposable {
  readonly cwd: string;
  readonly env: Record<string, string>;
  write(name: string, text: string): string;
  /** Runs `haft` to its end. */
  haft(
    args: readonly string[],
    options?: { readonly input?: string; readonly env?: Record<string, string> },
  ): Promise<Ended>;
  /** Starts `haft` and leaves it running. */
  start(args: readonly string[], env?: Record<string, string>): ChildProcessWithoutNullStreams;
}

export function scratch(): Scratch {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-cli-")));
  const cwd = join(root, "work");
  const home = join(root, "home");
  for (const folder of [cwd, home]) mkdirSync(folder);
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    HAFT_STATE_DIR: join(root, "state"),
    LANG: "C.UTF-8",
    // Sources are compiled once for all the processes of a test run.
    NODE_COMPILE_CACHE: join(tmpdir(), "haft-test-compile-cache"),
  };
  const start: Scratch["start"] = (args, more = {}) =>
    spawn(process.execPath, [...HAFT, ...args], { cwd, env: { ...env, ...more } });
  return {
    cwd,
    env,
    write(name, text) {
      const path = join(cwd, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    start,
    async haft(args, { input = "", env: more = {} } = {}) {
      const child = start(args, more);
      child.stdin.on("error", () => {});
      child.stdin.end(input);
      return ended(child);
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Waits for a process and collects what it said. */
export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const [stdout, stderr, code] = await Promise.all([
    collect(child.stdout),
    collect(child.stderr),
    new Promise<number | null>((resolve) => child.once("close", (exit) => resolve(exit))),
  ]);
  return { code, stdout, stderr };
}

async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  stream.setEncoding("utf8");
  for await (const chunk of stream) text += chunk;
  return text;
}

/** JSON lines as values. */
export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
