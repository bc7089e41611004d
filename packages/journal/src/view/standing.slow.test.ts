// A view of the workspace that stands, with or without a sandbox, before its command is known.

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { stateOf } from "../../test/support/journal.ts";
import { viewWorks } from "../../test/support/view.ts";
import { createViewed, type Viewed } from "../../test/support/viewed.ts";

const works = viewWorks(process.geteuid?.() === 0 ? "root" : "user");

const KINDS = [
  { kind: "in a sandbox", isConfined: true },
  { kind: "without a sandbox", isConfined: false },
];

describe.skipIf(!works).each(KINDS)("a view that stands ready $kind", ({ isConfined }) => {
  let base: string;
  let viewed: Viewed;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "haft-standing-")));
    viewed = createViewed(base, isConfined);
  });
  afterEach(async () => {
    await viewed.close();
    rmSync(base, { recursive: true, force: true });
  });
  const root = () => join(base, "work");
  const at = (path: string) => join(root(), path);
  async function warm(): Promise<void> {
    await vi.waitFor(async () => expect(await viewed.stands()).toBe(true), { timeout: 20_000, interval: 1 });
  }

  it("W01 its command's changes are made real when it ended, and undone again", { tags: ["smoke"] }, async () => {
    writeFileSync(at("a"), "before\n");
    await warm();
    const outcome = await viewed.shell("echo after > a; echo new > b; mkdir d; exit 3", "call");
    expect(outcome).toMatchObject({ stood: true, exitCode: 3 });
    expect(stateOf(root())).toBe("/a file 644 after\n\n/b file 644 new\n\n/d folder 755");
    await viewed.journal.undo({ call: "call" });
    expect(stateOf(root())).toBe("/a file 644 before\n");
  });

  it("sees what others did while it stood, and takes none of it for a conflict", async () => {
    for (const name of ["edited", "saved", "gone"]) writeFileSync(at(name), "old\n");
    mkdirSync(at("sub"));
    await warm();
    writeFileSync(at("edited"), "edited\n");
    writeFileSync(at("temp"), "saved\n");
    renameSync(at("temp"), at("saved"));
    rmSync(at("gone"));
    writeFileSync(at("sub/new"), "new\n");
    const outcome = await viewed.shell(
      "ls; cat edited saved sub/new; for f in edited saved sub/new; do echo x >> $f; done",
    );
    expect(outcome).toMatchObject({ stood: true, stdout: "edited\nsaved\nsub\nedited\nsaved\nnew\n" });
    expect(outcome.output).not.toContain("held");
    expect(["edited", "saved", "sub/new"].map((name) => readFileSync(at(name), "utf8"))).toEqual([
      "edited\nx\n",
      "saved\nx\n",
      "new\nx\n",
    ]);
  });

  it("is thrown away when the workspace's folder was replaced", async () => {
    writeFileSync(at("a"), "old\n");
    await warm();
    renameSync(root(), join(base, "moved"));
    mkdirSync(root());
    writeFileSync(at("a"), "new\n");
    expect(await viewed.shell("cat a; echo more > b")).toMatchObject({ stood: false, stdout: "new\n" });
    expect(readdirSync(root())).toEqual(["a", "b"]);
    expect(readdirSync(join(base, "moved"))).toEqual(["a"]);
  });

  it("one view serves one command, and what nobody took leaves nothing", async () => {
    await warm();
    const all = await Promise.all(
      ["a", "b", "c"].map((name) => viewed.shell(`echo ${name} > ${name}; sleep 0.1; cat ${name}`, `call-${name}`)),
    );
    expect(all.map(({ output }) => output)).toEqual(["a\n", "b\n", "c\n"]);
    expect(readdirSync(root())).toEqual(["a", "b", "c"]);
    await warm();
    expect(viewed.views().length).toBeGreaterThan(0);
    await viewed.close();
    await vi.waitFor(() => expect(viewed.views()).toEqual([]), 3000);
  });

  it("W05 one that is cancelled is held, and nothing of it lives on", async () => {
    await warm();
    const stop = new AbortController();
    const running = viewed.shell(`touch ${base}/state/begun 2>/dev/null; echo x > made; sleep 30`, "call", stop.signal);
    setTimeout(() => stop.abort(), 400);
    const outcome = await running;
    expect(outcome).toMatchObject({ stood: true, cancelled: true });
    expect(existsSync(at("made"))).toBe(false);
    const { changed } = await viewed.journal.redo({ call: "call" });
    expect(changed.map(({ path }) => path)).toEqual([at("made")]);
  });

  it("L03 a host that is killed takes it along, and the next one removes what it left", async () => {
    const support = JSON.stringify(new URL("../../test/support/viewed.ts", import.meta.url).href);
    const script = `const { createViewed } = await import(${support}); const v = createViewed(${JSON.stringify(base)}, ${isConfined});
      while (!(await v.stands())); console.log("stands"); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--conditions=haft-source", "--input-type=module", "-e", script]);
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
    });
    await vi.waitFor(() => expect(said).toContain("stands"), 20_000);
    expect(viewed.views().length).toBeGreaterThan(0);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    await vi.waitFor(() => expect(viewed.waiting()).toEqual([]), 30_000);
    await viewed.shell("true");
    await vi.waitFor(() => expect(viewed.views()).toEqual([]), 30_000);
  }, 90_000);
});
