import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownMark } from "@haft/host";
import { openStateFile } from "@haft/service";
import { afterEach, beforeEach, expect, it } from "vitest";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "haft-state-file-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const SOURCES = ["--conditions=haft-source", "--disable-warning=ExperimentalWarning"];
const EACH = 40;

/** Another process that keeps values of its own and adds to one that all share, from the moment that `go` is there. */
function keeper(name: string) {
  const code = `
    import { existsSync } from "node:fs";
    import { openStateFile } from "@haft/service";
    const [base, name] = process.argv.slice(1);
    const file = openStateFile(base + "/kept.json");
    console.log("ready");
    while (!existsSync(base + "/go")) await new Promise((resolve) => setTimeout(resolve, 1));
    for (let at = 0; at < ${EACH}; at++) {
      file.set(name + at, at);
      file.update("shared", (now = []) => [...now, name + at]);
    }`;
  const args = [...SOURCES, "--input-type=module", "-e", code, base, name];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return { ready: once(child.stdout, "data"), ended: once(child, "exit") };
}

it("V10 the file has all values that two processes store at the same time", { timeout: 60_000 }, async () => {
  const both = [keeper("a"), keeper("b")];
  await Promise.all(both.map(({ ready }) => ready));
  writeFileSync(join(base, "go"), "");
  expect((await Promise.all(both.map(({ ended }) => ended))).map(([code]) => code)).toEqual([0, 0]);
  const file = openStateFile<unknown>(join(base, "kept.json"));
  const names = ["a", "b"].flatMap((name) => Array.from({ length: EACH }, (_, at) => `${name}${at}`)).sort();
  expect((file.get("shared") as string[]).toSorted()).toEqual(names);
  expect(names.filter((name) => file.get(name) === undefined)).toEqual([]);
  expect(readdirSync(base).sort()).toEqual(["go", "kept.json"]);
});

it("V10 a lock that a dead process has left keeps nobody out, and one that is held is named", () => {
  const path = join(base, "kept.json");
  const file = openStateFile<number>(path);
  writeFileSync(`${path}.change`, "999999999 gone");
  file.set("one", 1);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ one: 1 });
  writeFileSync(`${path}.change`, `${ownMark()}-other`);
  expect(() => file.set("two", 2)).toThrow(`${path}.change`);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ one: 1 });
});

it("V10 a file that was spoilt meanwhile is not written over", { tags: ["smoke"] }, () => {
  const path = join(base, "kept.json");
  const file = openStateFile<number>(path);
  file.set("one", 1);
  writeFileSync(path, '{"one": 1, broken');
  file.set("two", 2);
  expect(readFileSync(path, "utf8")).toBe('{"one": 1, broken');
  expect([file.get("one"), file.get("two")]).toEqual([1, 2]);
});
