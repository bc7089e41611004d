import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fromBytes } from "../image/raw-path.ts";

/** A repository's content for the files of a workspace. */
export interface GitContents {
  /** Object names by absolute path, for tracked files that equal their staged version. */
  readonly clean: ReadonlyMap<string, string>;
  /** Ignored files are not worth a copy. */
  isIgnored(path: string): boolean;
  /** An object's content as it would be checked out. */
  read(object: string, path: string): Promise<Buffer>;
}

/** Most bytes of one answer of git. */
const ANSWER_BYTES = 1 << 28;
/** Timeout in milliseconds for one answer: git reads a pipe named `.gitignore` forever. */
const ANSWER_MS = 20_000;

/**
 * The content that git has for the repository at `root`. `undefined` without a repository, or if its own
 * configuration names filter programs, which nobody has allowed. Changes nothing, not even the index.
 */
export async function gitContents(root: string): Promise<GitContents | undefined> {
  const git = async (...args: string[]): Promise<Buffer> => {
    const options = { ...asking(), encoding: "buffer" } as const;
    return (await promisify(execFile)("git", ["-C", root, "-c", "core.fsmonitor=false", ...args], options)).stdout;
  };
  try {
    // The user's own filters (git-lfs) are trusted. The command fails if no filter is configured at all.
    const filters = await git("config", "--show-scope", "-z", "--name-only", "--get-regexp", "^filter\\.").catch(
      () => "",
    );
    if (/(^|\0)(local|worktree)\0/.test(filters.toString("latin1"))) return undefined;
    const [staged, changed, ignored] = await Promise.all([
      git("ls-files", "-s", "-z"),
      git("diff-files", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=all"),
      git("ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z"),
    ]);
    const dirty = new Set(words(changed));
    const clean = new Map<string, string>();
    for (const line of words(staged)) {
      // mode, object, stage, tab, name: only regular files without conflicts.
      const match = /^100[67][45][45] ([0-9a-f]+) 0\t(.*)$/s.exec(line);
      if (match?.[1] && match[2] !== undefined && !dirty.has(match[2])) clean.set(`${root}/${match[2]}`, match[1]);
    }
    const hidden = words(ignored).map((name) => `${root}/${name}`);
    return {
      clean,
      isIgnored: (path) => hidden.some((one) => (one.endsWith("/") ? path.startsWith(one) : path === one)),
      read: (object, path) => git("cat-file", "--filters", `--path=${path.slice(root.length + 1)}`, object),
    };
  } catch {
    return undefined;
  }
}

/** Absolute paths of the topmost ignored folders of a repository. Empty without a repository. */
export async function ignoredFolders(root: string): Promise<readonly string[]> {
  const args = [
    "-C",
    root,
    "-c",
    "core.fsmonitor=false",
    "ls-files",
    "-o",
    "-i",
    "--exclude-standard",
    "--directory",
    "-z",
  ];
  const options = { ...asking(), encoding: "buffer" } as const;
  const answer = await promisify(execFile)("git", args, options).catch(() => undefined);
  return words(answer?.stdout ?? Buffer.alloc(0)).flatMap((name) =>
    name.endsWith("/") ? [`${root}/${name.slice(0, -1)}`] : [],
  );
}

/** The given paths that git would ignore as folders. They need not exist. */
export async function pathsGitIgnores(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const args = ["-C", root, "-c", "core.fsmonitor=false", "check-ignore", "-z", "--stdin"];
  const answer = await new Promise<Buffer>((resolve) => {
    const child = execFile("git", args, { ...asking(), encoding: "buffer" }, (_, stdout) => resolve(stdout));
    // If git is missing or ends early, the answer is empty.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(paths.map((path) => `${path}/\0`).join(""));
  });
  return words(answer).map((name) => name.replace(/\/$/, ""));
}

const words = (bytes: Buffer): string[] => {
  const found: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0, from);
    found.push(fromBytes(bytes.subarray(from, end)));
    from = end + 1;
  }
  return found;
};

const asking = () => ({ env: quiet(), maxBuffer: ANSWER_BYTES, timeout: ANSWER_MS, killSignal: "SIGKILL" }) as const;

/** Also fetches nothing: the repository would choose the address and the program. */
const quiet = () => ({
  ...{ PATH: process.env.PATH, HOME: process.env.HOME, LC_ALL: "C" },
  ...{ GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" },
});
