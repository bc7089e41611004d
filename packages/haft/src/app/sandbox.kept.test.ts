import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seenPlace } from "../../test/support/seen-place.ts";
import { createHaft } from "./create-haft.ts";

let base: string;
beforeEach(() => {
  base = seenPlace("kept");
  for (const folder of ["work/.haft", "home"]) mkdirSync(join(base, folder), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const hasBwrap = (await findBwrap([])) !== undefined;

async function open(cwd = join(base, "work")) {
  const settings = join(base, "settings.json");
  writeFileSync(settings, JSON.stringify({ sandbox: { tier: "bwrap" } }));
  const haft = await createHaft({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings },
    mode: "bypassPermissions",
  });
  const say = async (command: string) => contentsText((await haft.call("Bash", { command })).content);
  const show = async (command: string) => {
    const { display } = await haft.call("Bash", { command });
    return display?.kind === "terminal" ? display.text : undefined;
  };
  return { say, show, [Symbol.asyncDispose]: () => haft[Symbol.asyncDispose]() };
}

describe.skipIf(!hasBwrap)("a file that a confined command writes outside the workspace", () => {
  it.each(["/tmp", "/var/tmp"])(
    "G15 a file in %s is told once, with where it lies, and is there for the session",
    async (folder) => {
      await using haft = await open();
      const seen = `haft-kept-${process.pid}`;
      // One whose writes are known, and one that nobody can read.
      const told = await haft.say(`echo known > ${folder}/${seen}`);
      const unread = await haft.say(`python3 -c 'open("${folder}/${seen}-py", "w").write("unread")'`);
      for (const [said, name, words] of [
        [told, seen, "known\n"],
        [unread, `${seen}-py`, "unread"],
      ] as const) {
        const [, names, place = ""] = /of the sandbox: (\S+)\. .*it is in (\S+)\. Write/.exec(said) ?? [];
        expect(names).toBe(name);
        expect(readFileSync(join(place, name), "utf8")).toBe(words);
      }
      expect(existsSync(join(folder, seen)), "nothing of it is outside").toBe(false);
      expect(await haft.say(`cat ${folder}/${seen}`), "once").toBe("known");
      expect(await haft.say("true"), "nothing of its own").toBe("(no output)");
    },
  );

  it("G15 a file that ends with the sandbox is told, and /run takes nothing: no write is lost in silence", async () => {
    await using haft = await open();
    const name = `haft-kept-${process.pid}`;
    expect(await haft.say(`echo a > /dev/shm/${name}`)).toMatch(`/dev/shm/${name} was deleted with it`);
    expect(await haft.say(`echo a > /dev/${name}`)).toContain(`/dev/${name} was deleted with it`);
    expect(await haft.say("echo a > /dev/null; echo b > /dev/stderr")).toBe("b");
    for (const command of [`echo a > /run/${name}`, `python3 -c 'open("/run/${name}", "w")'`]) {
      const said = await haft.say(command);
      expect(said).toMatch(/Read-only file system/);
      expect(said).toContain(`A confined command can never write /run/${name}`);
    }
    expect([existsSync(`/run/${name}`), existsSync(`/dev/shm/${name}`), existsSync(`/dev/${name}`)]).toEqual([
      ...[false, false, false],
    ]);
  });

  it("G15 a granted file of which only the whole folder could be opened is told as that, and not asked for again", async () => {
    await using haft = await open();
    const said = await haft.say(`echo a > ${base}/home/new.txt`);
    expect(said).toContain(
      `${base}/home/new.txt was granted, but it does not exist, and the sandbox could only open all of ${base}/home`,
    );
    writeFileSync(join(base, "home/new.txt"), "");
    expect(await haft.say(`echo a > ${base}/home/new.txt`)).toBe("(no output)");
    expect(readFileSync(join(base, "home/new.txt"), "utf8")).toBe("a\n");
  });

  it.skipIf(!existsSync("/dev/shm"))(
    "G15 a workspace in memory, and what is granted beside it, is the real one",
    async () => {
      const memory = mkdtempSync("/dev/shm/haft-kept-");
      try {
        for (const folder of ["work/.haft", "beside"]) mkdirSync(join(memory, folder), { recursive: true });
        writeFileSync(join(memory, "beside/old"), "old\n");
        await using haft = await open(join(memory, "work"));
        // Known writes, unread ones, and what only reads.
        expect(await haft.say("echo a > known && cat known")).toBe("a");
        expect(await haft.say('python3 -c \'open("unread", "w")\'; ls')).toBe("known\nunread");
        expect(await haft.say(`echo new > ${memory}/beside/new; cat ${memory}/beside/old`)).toBe("old");
        expect(await haft.say(`ls ${memory}/beside`)).toBe("new\nold");
        expect(await haft.say("ls /dev/shm")).toContain(memory.slice("/dev/shm/".length));
        expect(readFileSync(join(memory, "beside/new"), "utf8")).toBe("new\n");
      } finally {
        rmSync(memory, { recursive: true, force: true });
      }
    },
  );

  it("G15 a person is shown the same notes", async () => {
    await using haft = await open();
    expect(await haft.show("echo a | tee /tmp/haft-kept-shown")).toMatch(/^a\n\[New in .*: haft-kept-shown\. /);
  });

  it("G15 a command of known writes works in /tmp", async () => {
    await using haft = await open();
    expect(await haft.say("cd /tmp && mkdir -p haft-kept/b && ls haft-kept")).toMatch(/^b\n\[New in .*: haft-kept\. /);
  });
});
