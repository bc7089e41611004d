import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import "../../../../test/support/seed.ts";
import { openTasks } from "./store.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-tasks-"));
  folders.push(folder);
  return join(folder, "deep", "tasks.jsonl");
}
const draft = (subject: string) => ({ subject, description: "" });

describe("shared tasks", () => {
  it("N05 two processes that change one task at once lose nothing, and see the same list", () => {
    const path = file();
    const [one, two] = [openTasks(path), openTasks(path)];
    const { id } = one.create(draft("Build"));
    two.update(id, { owner: "bob" }, "bob");
    one.update(id, { description: "All of it.", metadata: { a: 1, b: 2 } }, "main");
    two.update(id, { status: "in_progress", metadata: { b: null, c: 3 } }, "bob");
    expect(one.get(id)).toEqual({
      ...{ id, subject: "Build", description: "All of it.", status: "in_progress", owner: "bob" },
      ...{ blocks: [], blockedBy: [], metadata: { a: 1, c: 3 } },
    });
    expect(two.list()).toEqual(one.list());
    expect(openTasks(path).list()).toEqual(one.list());
  });

  it("N05 ids of tasks made at the same time never clash, and torn or foreign lines are skipped", () => {
    const path = file();
    const [one, two] = [openTasks(path), openTasks(path)];
    const ids = [one, two, one, two].map((store, index) => store.create(draft(`t${index}`)).id);
    expect(new Set(ids).size).toBe(4);
    appendFileSync(path, '{"t":"create","key":\nnot json\n{"t":"other"}\n{"t":"crea');
    expect(one.create(draft("last")).id).toBe("5");
    expect(two.list().map(({ subject }) => subject)).toEqual(["t0", "t1", "t2", "t3", "last"]);
  });

  it("N05 refuses circles, blocked starts, foreign owners and unknown ids, and changes nothing", () => {
    const tasks = openTasks();
    const [a, b, c] = ["a", "b", "c"].map((subject) => tasks.create(draft(subject)).id);
    tasks.update(a!, { addBlocks: [b!] }, "main");
    tasks.update(c!, { addBlockedBy: [b!] }, "main");
    const before = tasks.list();
    expect(() => tasks.update(a!, { addBlockedBy: [c!] }, "main")).toThrow(/1 already waits for 3|already waits/);
    expect(() => tasks.update(a!, { addBlocks: [a!] }, "main")).toThrow("no task waits for itself");
    expect(() => tasks.update(b!, { status: "in_progress" }, "main")).toThrow("waits for 1");
    expect(() => tasks.get("9")).toThrow('no task "9"');
    expect(() => tasks.update(a!, { addBlocks: ["9"] }, "main")).toThrow('no task "9"');
    expect(tasks.list()).toEqual(before);
    tasks.update(a!, { owner: "bob" }, "bob");
    expect(() => tasks.update(a!, { owner: "eve" }, "eve")).toThrow("belongs to bob");
    tasks.update(a!, { owner: "" }, "bob");
    expect(tasks.update(a!, { owner: "eve", status: "completed" }, "eve")?.owner).toBe("eve");
    expect(tasks.update(b!, { status: "in_progress" }, "main")?.status).toBe("in_progress");
    tasks.update(b!, { status: "deleted" }, "main");
    expect(tasks.list()).toMatchObject([
      { id: a, blocks: [] },
      { id: c, blockedBy: [] },
    ]);
  });

  it("N05 after any requests in any order, dependencies stay free of circles and go both ways", () => {
    const edge = fc.tuple(fc.nat(5), fc.nat(5), fc.boolean());
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 30 }), (edges) => {
        const tasks = openTasks();
        const ids = Array.from({ length: 6 }, (_, index) => tasks.create(draft(String(index))).id);
        for (const [from, to, isForward] of edges) {
          const change = isForward ? { addBlocks: [ids[to]!] } : { addBlockedBy: [ids[to]!] };
          try {
            tasks.update(ids[from]!, change, "main");
          } catch {
            // A circle was refused.
          }
        }
        const list = tasks.list();
        for (const task of list) for (const other of task.blocks) expect(tasks.get(other).blockedBy).toContain(task.id);
        const done = new Set<string>();
        for (let left = list; left.length > 0; ) {
          const free = left.filter(({ blockedBy }) => blockedBy.every((id) => done.has(id)));
          expect(free).not.toEqual([]);
          for (const { id } of free) done.add(id);
          left = left.filter(({ id }) => !done.has(id));
        }
      }),
    );
  });
});
