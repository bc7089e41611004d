import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const starter = join(import.meta.dirname, "../../bin");

/** A small version of the program that `bin/haft.mjs` starts: an entry and one part, whose name contains its hash. */
const ENTRY = `exports.commandNames = ["add"]; require("./part-1.cjs").run(process.argv.slice(2));`;
const PART = `exports.run = async ([command, ...numbers]) => {
  const { basename } = await __import("node:path");
  const { execFileSync } = require("node:child_process");
  const sum = numbers.reduce((total, number) => total + Number(number), 0);
  process.stdout.write([command, sum, basename(__filename), typeof execFileSync, __resolve("node:fs")].join(" "));
};`;

describe("the starter of the command line", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "haft-starter-"));
    cpSync(starter, join(root, "bin"), { recursive: true });
    mkdirSync(join(root, "dist"));
    writeFileSync(join(root, "package.json"), '{ "type": "module", "version": "1.2.3" }');
    writeFileSync(join(root, "dist/cli.cjs"), ENTRY);
    writeFileSync(join(root, "dist/part-1.cjs"), PART);
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  function start(args: readonly string[], env: Record<string, string> = {}) {
    const argv = [join(root, "bin/haft.mjs"), ...args];
    const { stdout, stderr, status } = spawnSync(process.execPath, argv, { encoding: "utf8", env });
    return { stdout, stderr, status };
  }
  const kept = (): string[] =>
    readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" }).filter(isBytecode);
  const isBytecode = (name: string): boolean => /part-1\.cjs\./.test(name);
  const sound = (command: string, sum: number) => ({
    stdout: `${command} ${sum} part-1.cjs function node:fs`,
    stderr: "",
    status: 0,
  });

  it("a command's compiled code is stored for its next run, and for no other", () => {
    expect(start(["add", "1", "2"])).toEqual(sound("add", 3));
    expect(kept()).toHaveLength(1);
    const [first = ""] = kept();
    const bytecode = readFileSync(join(root, "dist", first));
    expect(start(["add", "2", "2"])).toEqual(sound("add", 4));
    expect(readFileSync(join(root, "dist", first)).equals(bytecode)).toBe(true);
    expect(start(["-x", "2"]).status).toBe(0);
    expect(kept()).toHaveLength(2);
  });

  it("a checkout that is not built says how to build it", () => {
    rmSync(join(root, "dist/cli.cjs"));
    const built = "This checkout of Haft is not built. Run `npm run build` in it, and try again.\n";
    expect(start(["doctor"])).toEqual({ stdout: "", stderr: built, status: 2 });
    expect(start(["--version"]).status).toBe(0);
  });

  it("bytecode that is broken is not used but replaced", () => {
    start(["add", "1"]);
    const file = join(root, "dist", kept()[0]!);
    const whole = readFileSync(file);
    for (const broken of [Buffer.from("no bytecode"), whole.subarray(0, whole.length >> 1), Buffer.alloc(0)]) {
      writeFileSync(file, broken);
      expect(start(["add", "5", "6"])).toEqual(sound("add", 11));
      expect(readFileSync(file).length).toBeGreaterThan(broken.length);
    }
  });

  it("nothing is kept for a word that is no command, nor where it is switched off", () => {
    expect(start(["word", "1"])).toEqual(sound("word", 1));
    expect(start(["add", "1"], { NODE_DISABLE_COMPILE_CACHE: "1" })).toEqual(sound("add", 1));
    expect(kept()).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)("runs where nothing can be kept", () => {
    chmodSync(join(root, "dist"), 0o555);
    expect(start(["add", "1"])).toEqual(sound("add", 1));
    chmodSync(join(root, "dist"), 0o755);
    expect(kept()).toEqual([]);
  });

  it("a file in the place of the folder is left as it is", () => {
    writeFileSync(join(root, "dist/.bytecode"), "mine");
    expect(start(["add", "1"])).toEqual(sound("add", 1));
    expect(readFileSync(join(root, "dist/.bytecode"), "utf8")).toBe("mine");
  });

  it("says its version without the bundle", () => {
    rmSync(join(root, "dist"), { recursive: true });
    expect(start(["--version"])).toEqual({ stdout: "1.2.3\n", stderr: "", status: 0 });
    expect(start(["-v"]).stdout).toBe("1.2.3\n");
  });
});
