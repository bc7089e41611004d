/** Scratch folders, and trees of files to search. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The words of a file, as in a source tree: about 1 KB. */
const BODY = Array.from(
  { length: 20 },
  (_, line) => `export const value${line} = compute(${line}, "some text of line ${line}");`,
);

export interface Scratch extends Disposable {
  readonly cwd: string;
  readonly home: string;
}

/** A folder for one part, with a home that has ripgrep and fd. */
export function scratch(): Scratch {
  const base = realpathSync(mkdtempSync(join(process.env.HAFT_BENCH_DIR ?? "/var/tmp", "haft-peers-")));
  const [cwd, home] = [join(base, "work"), join(base, "home")];
  for (const folder of [cwd, join(home, "bin")]) mkdirSync(folder, { recursive: true });
  link(ripgrepPath(), join(home, "bin/rg"));
  const fd = ["/usr/bin/fdfind", "/usr/bin/fd"].find((path) => existsSync(path));
  if (fd) link(fd, join(home, "bin/fd"));
  return { cwd, home, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}

const link = (target: string, path: string): void => symlinkSync(target, path);

/** The ripgrep that Haft brings; every contender uses it. */
export function ripgrepPath(): string {
  const name = `@vscode/ripgrep-${process.platform}-${process.arch}/package.json`;
  return join(dirname(createRequire(import.meta.url).resolve(name)), "bin/rg");
}

/** Adds the files from number `from` up to `to`, 200 to a folder; each hundredth mentions `needle`. */
export function growTree(root: string, from: number, to: number): void {
  for (let index = from; index < to; index++) {
    const folder = join(root, `pack${Math.floor(index / 20_000)}`, `part${Math.floor(index / 200)}`);
    if (index % 200 === 0 || index === from) mkdirSync(folder, { recursive: true });
    const extra = index % 100 === 0 ? "needle" : "straw";
    const ending = index % 50 === 0 ? "md" : "ts";
    writeFileSync(join(folder, `file${index}.${ending}`), `${BODY.join("\n")}\n// ${extra} ${index}\n`);
  }
}
