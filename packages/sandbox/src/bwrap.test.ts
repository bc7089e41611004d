import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { isWithin } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WITHOUT_SANDBOX } from "../test/support/confined.ts";
import { findBwrap } from "./doors/facts.ts";
import { bwrapArgv, type Fence } from "./index.ts";

const EMPTY: Fence = {
  ...{
    hidden: [],
    emptied: [],
    aliases: [],
    sealed: [],
    readOnly: [],
    anchored: [],
    writable: [],
    fresh: [],
    network: "none",
    weaknesses: [],
  },
  ...{ temporary: "/tmp", processes: "own" },
};
const argvOf = (fence: Partial<Fence>) => bwrapArgv({ ...EMPTY, ...fence }, { cwd: "/w", argv: ["true"] });
/** Place and kind of each mount, in order. */
function mountsOf(argv: readonly string[]): { how: string; path: string }[] {
  const found: { how: string; path: string }[] = [];
  for (let index = 0; index < argv.length && argv[index] !== "--"; index++) {
    const how = argv[index] ?? "";
    if (how === "--bind" || how === "--ro-bind") found.push({ how, path: argv[index + 2] ?? "" });
    if (how === "--tmpfs") found.push({ how, path: argv[index + 1] ?? "" });
  }
  return found;
}

describe("the arguments of bubblewrap", () => {
  it("G15 hold all that keeps a program in, for any fence", () => {
    const always =
      "--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --die-with-parent --new-session";
    expect(argvOf({})).toEqual(expect.arrayContaining(always.split(" ")));
    expect(argvOf({}).join(" ")).toContain("--cap-drop ALL");
    expect(argvOf({ network: "host" })).not.toContain("--unshare-net");
    expect(argvOf({ identity: { uid: 7, gid: 8 } }).join(" ")).toContain("--uid 7 --gid 8");
    expect(argvOf({ fresh: ["/tmp"], tmp: "/state/tmp" }).join(" ")).toContain("--bind /state/tmp /tmp");
  });

  it("G15 hand over the program untouched, after the last option", () => {
    const program = ["--ro-bind", "--", "a b", ""];
    expect(bwrapArgv(EMPTY, { cwd: "--odd", argv: program }).slice(-7)).toEqual(["--chdir", "--odd", "--", ...program]);
  });

  it("G15 never cover a place that is closed by one that is open and shallower", () => {
    const path = fc
      .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 })
      .map((parts) => `/${parts.join("/")}`);
    const paths = fc.uniqueArray(path, { maxLength: 4 });
    fc.assert(
      fc.property(paths, paths, paths, (writable, readOnly, hidden) => {
        const fence = { writable, readOnly, hidden: hidden.map((place) => ({ path: place, isFolder: true })) };
        const made = mountsOf(argvOf(fence));
        expect(new Set(made.map((mount) => mount.path)).size).toBe(made.length);
        for (const [index, mount] of made.entries())
          for (const later of made.slice(index + 1)) expect(isWithin(later.path, mount.path)).toBe(false);
        const last = (place: string) => made.find((mount) => mount.path === place)?.how;
        for (const place of hidden) expect(last(place)).toBe("--tmpfs");
        for (const place of readOnly) if (!hidden.includes(place)) expect(last(place)).toBe("--ro-bind");
      }),
    );
  });

  it.skipIf(WITHOUT_SANDBOX || !existsSync("/usr/bin/script"))(
    "G15 take the terminal away, from which a program could type into the user's shell",
    async () => {
      const bwrap = (await findBwrap([])) ?? "";
      const test = ["/bin/sh", "-c", "(: < /dev/tty) 2> /dev/null && echo terminal; echo done"];
      const quote = (words: readonly string[]) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
      const under = (words: readonly string[]) =>
        promisify(execFile)("/usr/bin/script", ["-qec", quote(words), "/dev/null"]).then(({ stdout }) => stdout);
      expect(await under(test)).toMatch(/terminal\r?\ndone/);
      const confined = await under([bwrap, ...bwrapArgv(EMPTY, { cwd: "/", argv: test })]);
      expect(confined).toMatch(/^done\r?\n$/);
    },
  );
});
