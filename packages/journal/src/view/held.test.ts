import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { benches } from "../../test/support/journal.ts";
import { viewWorks } from "../../test/support/view.ts";

const fresh = benches();
afterEach(() => void vi.restoreAllMocks());

/** A workspace in which a command was cancelled that had changed `a` and `b`; what it did is held. */
async function withHeld() {
  const bench = fresh();
  for (const name of ["a", "b"]) writeFileSync(join(bench.root, name), "old\n");
  const controller = new AbortController();
  const changed = Promise.withResolvers<void>();
  const running = bench.shell(
    "echo new | tee a > b; echo changed; sleep 30",
    { id: "c5" },
    { signal: controller.signal, onOutput: () => changed.resolve() },
  );
  await changed.promise;
  controller.abort();
  await running;
  const text = (name: string) => readFileSync(join(bench.root, name), "utf8");
  return { ...bench, text };
}

describe.skipIf(!viewWorks("user"))("a held change", () => {
  it("W03 W05 keeps its name when others have changed a part of it: the rest is applied, and that part is forced by the same name", async () => {
    const { journal, root, text } = await withHeld();
    const [held] = journal.history().held;
    writeFileSync(join(root, "a"), "by a person\n");
    const { changed, kept } = await journal.commitHeld(held!.id);
    expect([changed, kept].map((some) => some.map(({ path }) => path))).toEqual([[join(root, "b")], [join(root, "a")]]);
    expect(journal.history().held).toMatchObject([{ id: held!.id, reason: "conflict", paths: [join(root, "a")] }]);
    await journal.commitHeld(held!.id, { force: true });
    expect([text("a"), text("b"), journal.history().held]).toEqual(["new\n", "new\n", []]);
    await journal.undo();
    expect([text("a"), text("b")]).toEqual(["by a person\n", "old\n"]);
  });

  it("W05 an unused held change is discarded after 14 days, even if no new change is held", async () => {
    const { journal, reopen } = await withHeld();
    const [held] = journal.history().held;
    const atEndIn = async (days: number) => {
      const [now, again] = [Date.now(), reopen()];
      vi.spyOn(Date, "now").mockReturnValue(now + days * 24 * 3600_000);
      await again.close();
      vi.restoreAllMocks();
      return again.history().held.length;
    };
    journal.close();
    expect([await atEndIn(13), existsSync(held!.view)]).toEqual([1, true]);
    expect(await atEndIn(15)).toBe(0);
    await vi.waitFor(() => expect(existsSync(held!.view)).toBe(false));
  });

  it("W05 is applied by whose turn it is: a tool waits for an undo of another process, as that does for it", async () => {
    const { journal, root, folder, text, reopen } = await withHeld();
    const port = journal.heldOf("s1", () => []);
    const [held] = port.list();
    const { digest } = (await port.find(held!.id))!;
    writeFileSync(join(folder, "turn"), "");
    const committing = port.commit(held!.id, digest);
    const early = await Promise.race([committing, wait(300, "waits")]);
    // A lock that nobody signs is nobody's after a second.
    expect([early, text("a")]).toEqual(["waits", "old\n"]);
    expect((await committing).toSorted()).toEqual([join(root, "a"), join(root, "b")]);
    await reopen().undo();
    expect(text("a")).toBe("old\n");
  });
});
