import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-seal-")));
  for (const name of ["work/a", "home"]) mkdirSync(join(base, name), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Runs a command about which a person is asked; meanwhile something happens. */
async function whileAsking(command: object, meanwhile: () => void) {
  await using haft = await createHaft({
    cwd: join(base, "work"),
    home: join(base, "home"),
    stateDir: join(base, "state"),
    env: {},
    rules: { ask: ["Bash"] },
    ask: async () => {
      meanwhile();
      return { behavior: "allow" };
    },
  });
  return await haft.call("Bash", command);
}

describe("a file that a command would run must be unchanged since a person was asked", () => {
  const work = (name: string) => join(base, "work", name);
  const change = (name: string) => () => writeFileSync(work(name), "echo changed > ran\n");
  beforeEach(() => {
    writeFileSync(work("s.sh"), "echo first > ran\n", { mode: 0o755 });
    writeFileSync(work("package.json"), '{"scripts": {"x": "echo first > ran"}}');
    writeFileSync(work("Makefile"), "all:\n\techo first > ran\n");
  });

  it.each([
    ["sh s.sh", "s.sh"],
    ["./s.sh", "s.sh"],
    [". ./s.sh", "s.sh"],
    ["bash < s.sh", "s.sh"],
    ["cat s.sh | sh", "s.sh"],
    ["cd a && timeout 9 bash ../s.sh", "s.sh"],
    ["bash --rcfile=s.sh -ic true", "s.sh"],
    ["make", "Makefile"],
    ["cd a; npm run x", "package.json"],
    ["make", "GNUmakefile"],
  ])("G15 %s does not run when %s is another by then, also in the background", async (command, file) => {
    for (const more of [{}, { run_in_background: true }]) {
      const result = await whileAsking({ command, ...more }, change(file));
      expect(result.error).toMatchObject({
        code: "conflict",
        message: expect.stringContaining(`${file} has changed since the user was asked`),
      });
      expect(existsSync(work("ran"))).toBe(false);
      rmSync(work(file));
      if (file !== "GNUmakefile") writeFileSync(work(file), "echo first > ran\n", { mode: 0o755 });
    }
  });

  it("G15 it runs when they are the same, written anew or not, and a file that is of no concern changes", async () => {
    const result = await whileAsking({ command: "sh s.sh" }, () => {
      writeFileSync(work("s.sh"), "echo first > ran\n");
      writeFileSync(work("other"), "new");
    });
    expect(result.error).toBeUndefined();
    expect(readFileSync(work("ran"), "utf8")).toBe("first\n");
  });

  it("F28 an answer that was kept for a later process is for the files as they were", async () => {
    const open = () =>
      createHaft({
        ...{ cwd: join(base, "work"), home: join(base, "home"), stateDir: join(base, "state"), env: {} },
        ...{ rules: { ask: ["Bash"] }, session: "s1" },
      });
    const first = await open();
    await first.call("Bash", { command: "sh s.sh" });
    const [left] = first.pending();
    expect(first.answer(left!.id, { behavior: "allow" })).toMatchObject({ accepted: true });
    await first[Symbol.asyncDispose]();
    change("s.sh")();
    await using later = await open();
    expect((await later.call("Bash", { command: "sh s.sh" })).error).toBeDefined();
    expect(existsSync(work("ran"))).toBe(false);
    writeFileSync(work("s.sh"), "echo first > ran\n");
    expect((await later.call("Bash", { command: "sh s.sh" })).error).toBeUndefined();
  });
});
