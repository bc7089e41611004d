import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fromBytes } from "../image/raw-path.ts";

/** Content that a repository has of the files of a workspace. */
export interface GitContents {
  /** Names of objects by absolute path, of tracked files that hold what is staged. */
  readonly clean: ReadonlyMap<string, string>;
  /** Files that git is told to ignore are not worth a copy. */
  isIgnored(path: string): boolean;
  /** The content of an object as it stands in the folder. */
  read(object: string, path: string): Promise<Buffer>;
}

/** Bytes of git's answers. */
const ANSWER_BYTES = 1 << 28;
/** Most milliseconds for one answer: git reads a pipe in the place of a `.gitignore` for ever. */
const ANSWER_MS = 20_000;

/**
 * What git has of the repository at `root`; `undefined` where that is none, or where its own configuration names programs
 * that stand before the content: nobody has allowed those. Changes nothing, not even the index.
 */
export async function gitContents(root: string): Promise<GitContents | undefined> {
  const git = async (...args: string[]): Promise<Buffer> => {
    const options = { ...asking(), encoding: "buffer" } as const;
    return (await promisify(execFile)("git", ["-C", root, "-c", "core.fsmonitor=false", ...args], options)).stdout;
  };
  try {
    // The user's own filters (git-lfs) are trusted. Fails where there are none at all, of either kind.
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
      // mode, object, stage, tab, name: only regular files, and no conflicts.
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

/** Folders of a repository in which everything is ignored: absolute, the highest ones. None where there is no repository. */
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

/** Those of some paths, none of which need exist, that git would ignore as folders. */
export async function pathsGitIgnores(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const args = ["-C", root, "-c", "core.fsmonitor=false", "check-ignore", "-z", "--stdin"];
  const answer = await new Promise<Buffer>((resolve) => {
    const child = execFile("git", args, { ...asking(), encoding: "buffer" }, (_, stdout) => resolve(stdout));
    // A git that is missing or ends early is told by its empty answer.
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

/** Nothing is fetched either: where from, and by which program, the repository would say. */
const quiet = () => ({
  ...{ PATH: process.env.PATH, HOME: process.env.HOME, LC_ALL: "C" },
  ...{ GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" },
});
