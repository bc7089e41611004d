import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { seenPlace } from "../../test/support/seen-place.ts";
import { createHaft } from "./create-haft.ts";

let base: string;
beforeEach(() => {
  base = seenPlace("left");
  for (const folder of ["work/.haft", "home"]) mkdirSync(join(base, folder), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const hasBwrap = (await findBwrap([])) !== undefined;

describe.skipIf(!hasBwrap)("L04 a process that a command in a sandbox leaves running", () => {
  it.each([true, false])(
    "L04 is ended with it, and the result says which processes these were (journal: %s)",
    { tags: ["smoke"] },
    async (journal) => {
      const settings = join(base, "settings.json");
      writeFileSync(settings, JSON.stringify({ bash: { enableSandbox: true } }));
      await using haft = await createHaft({
        ...{ cwd: join(base, "work"), home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings },
        ...{ mode: "bypassPermissions", ...(journal ? {} : { journal: false }) },
      });
      const say = async (command: string) => contentsText((await haft.call("Bash", { command })).content);
      const left = "sleep 300 & setsid sleep 301 & (tail -f /dev/null &) ; true & wait $!; sleep 0.3; echo done";
      // From the third on they run in sandboxes that stood already.
      for (let round = 0; round < runs(4); round++) {
        const said = await say(left);
        expect(said).toMatch(/^done\n\[Its remaining processes were ended with it, .*: /);
        expect(
          said
            .match(/: ([^:]*)\. Start processes/)?.[1]
            ?.split(", ")
            .sort(),
        ).toEqual(["sleep (2)", "tail"]);
      }
      expect(await say("(exit 3); sleep 300 & sleep 0.2; exit 4")).toMatch(/^Exit code 4[\s\S]*: sleep\./);
      for (const command of ["true & wait; echo ok", "yes | head -1 > /dev/null; echo ok", "cat <(echo ok)"])
        expect(await say(command)).toBe("ok");
      expect(await say("cd home 2> /dev/null; kill -9 $$")).not.toContain("remaining processes");
    },
  );
});
