import { chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { benches } from "../test/support/journal.ts";
import { viewWorks } from "../test/support/view.ts";

const fresh = benches();
const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

describe.each([
  ["in a view", { isSkipped: !viewWorks("user"), options: {} }],
  ["in the workspace itself", { isSkipped: false, options: { variants: [] } }],
] as const)("a command %s", (_name, { isSkipped, options }) => {
  it.skipIf(isSkipped)("L01 gives nobody the rights of a file's owner, and says so", async () => {
    const { root, shell, journal } = fresh(options);
    for (const name of ["old", "group", "mine"]) writeFileSync(join(root, name), "x", { mode: 0o755 });
    chmodSync(join(root, "mine"), 0o4755);
    const many = "mkdir deep; touch $(seq -f deep/%g 5100); chmod 4755 deep/7";
    const { output } = await shell(
      `chmod 04755 old; chmod g+s group; install -m 6711 old made; cp -p mine copy; mkdir -m 2775 shared; chmod 4711 mine; ${many}`,
    );
    expect(["old", "group", "made", "copy", "deep/7"].map((name) => modeOf(join(root, name)))).toEqual([
      "755",
      "755",
      "711",
      "755",
      "755",
    ]);
    // A folder's bit only says which group new files get; and rights that were there are not this command's doing.
    expect([modeOf(join(root, "shared")), modeOf(join(root, "mine"))]).toEqual(["2775", "4711"]);
    expect(output).toMatch(/Not carried over: the bits setuid and setgid.*made/);
    await journal.undo();
    expect(["old", "group", "mine"].map((name) => modeOf(join(root, name)))).toEqual(["755", "755", "4755"]);
  });

  it.skipIf(isSkipped)(
    "L01 that writes into a program with its owner's rights takes these away",
    { tags: ["smoke"] },
    async () => {
      const { root, shell, journal } = fresh(options);
      writeFileSync(join(root, "tool"), "old");
      chmodSync(join(root, "tool"), 0o4755);
      await shell("echo new > tool.new; chmod 4755 tool.new; mv tool.new tool");
      expect(modeOf(join(root, "tool"))).toBe("755");
      await journal.undo();
      expect(modeOf(join(root, "tool"))).toBe("4755");
    },
  );
});
