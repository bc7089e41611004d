import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { viewWorks } from "../../../journal/test/support/view.ts";
import { createHaft } from "./create-haft.ts";

let base: string;
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe.skipIf(!viewWorks("user"))("the end of a session in the middle of a command", () => {
  it("L01 cancels it, applies nothing of half its work, and starts nothing that waited", async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "haft-end-")));
    const cwd = join(base, "work");
    mkdirSync(cwd);
    const haft = await createHaft({
      ...{ cwd, home: base, stateDir: join(base, "state"), env: {}, mode: "bypassPermissions" },
    });
    const script = "import sys, time; open('half.txt', 'w').write('x'); time.sleep(30)";
    const first = haft.call("Bash", { command: `python3 -c "${script}"` });
    const second = haft.call("Bash", { command: `python3 -c "open('next.txt', 'w').write('x')"` });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await haft[Symbol.asyncDispose]();
    const ends = [await first, await second];
    expect(ends.map(({ error }) => error?.code)).toEqual(["cancelled", "cancelled"]);
    expect(JSON.stringify(ends[0]?.content)).toMatch(/held and not applied/);
    expect([existsSync(join(cwd, "half.txt")), existsSync(join(cwd, "next.txt"))]).toEqual([false, false]);
  });
});
