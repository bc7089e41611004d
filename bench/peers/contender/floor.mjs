// The floor: bare Node, ripgrep, bash and bubblewrap, without any protection, limit or record.
import { execFile, spawn } from "node:child_process";
import { lstatSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const BWRAP = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent"];

export const open = async ({ cwd, home }) => {
  const rg = join(home, "bin/rg");
  const search = (args) => run(rg, args, { cwd, maxBuffer: 1e9, encoding: "utf8" }).then(({ stdout }) => stdout);
  const exited = (program, args) =>
    new Promise((resolve, reject) =>
      spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
        .once("error", reject)
        .once("close", resolve),
    );
  return {
    ops: {
      read: ({ path }) => readFile(join(cwd, path), "utf8"),
      // The newest files first, as the tools of agents answer: the list and the time of each.
      async glob({ pattern }) {
        const list = (await search(["--files", "--glob", pattern])).split("\n").filter(Boolean);
        const dated = list.map((path) => [path, lstatSync(join(cwd, path)).mtimeMs]);
        return dated.sort(([, a], [, b]) => b - a).length;
      },
      grep: ({ pattern }) => search(["--line-number", "--no-heading", "-e", pattern, "./"]),
      async edit({ path, from, to }) {
        const text = await readFile(join(cwd, path), "utf8");
        if (text.split(from).length !== 2) throw new Error("not exactly one match");
        await writeFile(
          join(cwd, path),
          text.replace(from, () => to),
        );
      },
      shell: ({ command }) => exited("/bin/bash", ["-c", command]),
      shellParallel: ({ commands }) => Promise.all(commands.map((command) => exited("/bin/bash", ["-c", command]))),
      bwrap: ({ command }) => exited("bwrap", [...BWRAP, "/bin/bash", "-c", command]),
      bwrapParallel: ({ commands }) =>
        Promise.all(commands.map((command) => exited("bwrap", [...BWRAP, "/bin/bash", "-c", command]))),
    },
  };
};
