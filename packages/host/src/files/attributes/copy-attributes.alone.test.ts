import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { children, runModule } from "../../../test/support/node-process.ts";
import { readAttributes, writeAttributes } from "./attributes.ts";
import { attributeCopier } from "./copy-attributes.ts";

let folder: string;
let canSet = false;
beforeAll(() => {
  folder = mkdtempSync("/var/tmp/haft-attributes-");
  canSet = process.platform === "linux" && fileWith("try", { "user.try": "00" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
function fileWith(name: string, attributes: Readonly<Record<string, string>>): boolean {
  writeFileSync(at(name), "");
  return writeAttributes([{ path: at(name), attributes }]).size === 0;
}

/** The ids of the Perl programs that this process has started. */
const helpers = () => children().filter((id) => readFileSync(`/proc/${id}/comm`, "utf8").trim() === "perl");

describe.skipIf(process.platform !== "linux")("copying attributes", () => {
  it("K04 one program does it for many files, and another takes its place if it is killed", async (context) => {
    if (!canSet) return context.skip();
    const copy = attributeCopier();
    const attributes = { "user.a": "00ff0a", "user.b c": "62" };
    fileWith("from", attributes);
    const names = Array.from({ length: 20 }, (_, index) => `to ${index}`);
    for (const name of names) fileWith(name, {});
    const results = await Promise.all(names.map((name) => copy(at("from"), at(name))));
    expect(results.flat()).toEqual([]);
    const [first, ...others] = helpers();
    expect(others).toEqual([]);
    process.kill(first!, "SIGKILL");
    fileWith("last", {});
    expect(await copy(at("from"), at("last"))).toEqual([]);
    const found = readAttributes([...names, "last"].map(at));
    expect([...(found?.values() ?? [])]).toEqual([...names, "last"].map(() => attributes));
  });

  it("K04 a label of SELinux is copied too", async (context) => {
    const label = { "security.selinux": Buffer.from("system_u:object_r:a_t:s0\0").toString("hex") };
    if (!canSet || !fileWith("labelled", label)) return context.skip();
    fileWith("to", {});
    expect(await attributeCopier()(at("labelled"), at("to"))).toEqual([]);
    expect(readAttributes([at("to")])?.get(0)).toEqual(label);
    // The system sets labels: a file cannot do without one.
    expect(fileWith("labelled", {})).toBe(true);
    expect(readAttributes([at("labelled")])?.get(0)).toEqual(label);
  });

  it("K04 without its program, the first copy says so", async () => {
    const copy = attributeCopier({ program: "/no/perl" });
    expect(await copy(at("from"), at("from"))).toEqual([expect.stringContaining("Perl")]);
    expect(await copy(at("from"), at("from"))).toEqual([]);
  });

  it("K04 names that cannot be set are told", async (context) => {
    if (!canSet) return context.skip();
    fileWith("from", { "user.a": "61" });
    expect(await attributeCopier()(at("from"), at("missing"))).toEqual(["user.a"]);
  });

  it("K04 the program neither keeps a process running nor outlives it", () => {
    const script = `process.stdout.write(JSON.stringify(await tested.attributeCopier({ idleMs: 1e6 })("/dev/null", "/dev/null")));`;
    const { status, stdout } = runModule(new URL("./copy-attributes.ts", import.meta.url), script);
    expect([status, stdout]).toEqual([0, "[]"]);
  });
});
