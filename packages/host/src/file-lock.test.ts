import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ownMark } from "./alive.ts";
import { withFileLock, withShortFileLock } from "./file-lock.ts";

let base: string;
let lock: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-lock-")));
  lock = join(base, "state/lock");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("a lock that is a file", () => {
  it("lets one after the other work, and is gone afterwards", async () => {
    let inside = 0;
    const most = await Promise.all(
      Array.from({ length: 8 }, () =>
        withFileLock(lock, async () => {
          inside++;
          await wait(2);
          return inside--;
        }),
      ),
    );
    expect(most).toEqual(most.map(() => 1));
    expect(existsSync(lock)).toBe(false);
  });

  it("of a process that is dead, or of one that never gave its name, is taken over", () => {
    withShortFileLock(lock, () => undefined);
    const { pid } = spawnSync("true");
    writeFileSync(lock, `${pid}-1-x`);
    expect(withShortFileLock(lock, () => "done")).toBe("done");
    writeFileSync(lock, "");
    utimesSync(lock, 1, 1);
    expect(withShortFileLock(lock, () => "done")).toBe("done");
  });

  it("of a process that lives is waited for, unless it has been held for too long", async () => {
    withShortFileLock(lock, () => undefined);
    writeFileSync(lock, `${ownMark()}-x`);
    expect(() => withShortFileLock(lock, () => "done")).toThrow(expect.objectContaining({ code: "conflict" }));
    utimesSync(lock, 1, 1);
    const patient = withFileLock(lock, async () => "later", { forgottenMs: Number.POSITIVE_INFINITY });
    expect(await Promise.race([patient, wait(200)])).toBeUndefined();
    rmSync(lock);
    expect(await patient).toBe("later");
    writeFileSync(lock, `${ownMark()}-x`);
    utimesSync(lock, 1, 1);
    expect(await withFileLock(lock, async () => "done")).toBe("done");
  });
});
