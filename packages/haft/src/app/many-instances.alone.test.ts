import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

const INSTANCES = 40;

it("an open Haft without a call costs at most 0.35 MB and no open file", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-many-")));
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const held = async () => {
    for (let round = 0; round < 3; round++) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const openFiles = () => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0);
  const open = (name: string) => {
    const cwd = join(base, name);
    mkdirSync(cwd);
    return createHaft({
      ...{ cwd, home: base, env: {}, stateDir: join(base, "state"), session: name, settingsFiles: false, ask: "host" },
      onNotice: () => {},
    });
  };
  // The first instances load the modules that all share.
  const all = [await open("first"), await open("second")];
  const [memory, files] = [await held(), openFiles()];
  for (let count = 0; count < INSTANCES; count++) all.push(await open(`${count}`));
  expect((await held()) - memory).toBeLessThan(0.35 * INSTANCES);
  expect(openFiles()).toBe(files);
  await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
  rmSync(base, { recursive: true, force: true });
});
