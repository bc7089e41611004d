import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stateFolder, trustStore } from "@haft/service";
import { afterEach, beforeEach, expect, it } from "vitest";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-trust-")));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const state = () => stateFolder(base, { HAFT_STATE_DIR: join(base, "state") });

const SOURCES = ["--conditions=haft-source", "--disable-warning=ExperimentalWarning"];

/** Another process that trusts folders one after the other, from the moment that `go` is there. */
function truster(folders: readonly string[]) {
  const code = `
    import { existsSync } from "node:fs";
    import { stateFolder, trustStore } from "@haft/service";
    const [go, state, ...folders] = process.argv.slice(1);
    const store = trustStore(stateFolder("/", { HAFT_STATE_DIR: state }));
    console.log("ready");
    while (!existsSync(go)) await new Promise((resolve) => setTimeout(resolve, 1));
    for (const folder of folders) await store.trust(folder);`;
  const args = [...SOURCES, "--input-type=module", "-e", code, join(base, "go"), join(base, "state"), ...folders];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return { ready: once(child.stdout, "data"), ended: once(child, "exit") };
}

it("V10 two processes that trust folders at the same time lose none", { timeout: 60_000 }, async () => {
  const folders = Array.from({ length: 24 }, (_, at) => join(base, `folder-${at}`));
  for (const folder of folders) mkdirSync(folder);
  const both = [truster(folders.slice(0, 12)), truster(folders.slice(12))];
  await Promise.all(both.map(({ ready }) => ready));
  writeFileSync(join(base, "go"), "");
  expect((await Promise.all(both.map(({ ended }) => ended))).map(([code]) => code)).toEqual([0, 0]);
  expect(trustStore(state()).list()).toEqual([...folders].sort());
  expect(readdirSync(join(base, "state"))).toEqual(["trusted.json"]);
});

it("V10 a list that cannot be read trusts nothing, and is not written over", async () => {
  const store = trustStore(state());
  await store.trust(base);
  expect(store.isTrusted(base)).toBe(true);
  const file = join(base, "state/trusted.json");
  writeFileSync(file, '["/elsewhere", broken');
  expect(store.isTrusted(base)).toBe(false);
  await expect(store.trust(base)).rejects.toMatchObject({
    code: "validation_failed",
    hint: expect.stringContaining("remove it"),
  });
  expect(readFileSync(file, "utf8")).toContain("/elsewhere");
});
