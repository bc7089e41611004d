// Random agents over frozen copies, beside a person, against a model that does everything one after the other.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { callOf, createBench } from "../../test/support/journal.ts";
import type { Frozen } from "./freeze.ts";

/** Content by path. */
type Files = Map<string, string>;

const scratch = mkdtempSync(join(tmpdir(), "haft-stories-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const PATHS = ["a", "b", "d/c", "d/e", "ignored/x", "ignored/y"];
const START: Files = new Map(
  PATHS.map((path) => [path, `${[1, 2, 3, 4, 5, 6].map((n) => `${path} ${n}`).join("\n")}\n`]),
);

const step = fc.record({
  /** 0 is the person, others are agents. */
  who: fc.nat(3),
  path: fc.constantFrom(...PATHS, "new", "d/new", "ignored/new"),
  what: fc.constantFrom("line", "line", "line", "append", "replace", "remove", "merge", "start"),
  line: fc.nat(5),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The content after a step; `undefined`: the file is gone. Every written line is unique. */
function changed(old: string | undefined, { what, line }: Step, word: string): string | undefined {
  if (what === "remove") return undefined;
  if (what === "replace" || old === undefined) return `${word}\n`;
  if (what === "append") return `${old}${word}\n`;
  return old
    .split("\n")
    .map((text, at) => (at === line ? word : text))
    .join("\n");
}

function gitMerge(base: string, ours: string, theirs: string): string | undefined {
  const names = Object.entries({ ours, base, theirs }).map(([name, text]) => {
    writeFileSync(join(scratch, name), text);
    return name;
  });
  try {
    return execFileSync("git", ["merge-file", "-p", "-q", ...names], {
      cwd: scratch,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return undefined;
  }
}

const readAt = (folder: string, path: string): string | undefined => {
  try {
    return readFileSync(join(folder, path), "utf8");
  } catch {
    return undefined;
  }
};

function put(folder: string, path: string, content: string | undefined): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  // As the ports of an agent do it: a file of its own in place of the old one.
  rmSync(join(folder, path), { force: true });
  if (content !== undefined) writeFileSync(join(folder, path), content);
}

const everyPath = [...PATHS, "new", "d/new", "ignored/new"];
const stateAt = (folder: string): Files =>
  new Map(
    everyPath.flatMap((path) =>
      ((content) => (content === undefined ? [] : [[path, content] as const]))(readAt(folder, path)),
    ),
  );
const sorted = (files: Files) => [...files].sort(([a], [b]) => (a < b ? -1 : 1));

interface Agent {
  readonly frozen: Frozen;
  readonly base: Files;
  readonly own: Files;
  /** Ignored paths that were written to in the workspace since. Their first content is not kept, so the same content may be a conflict. */
  readonly rewritten: Set<string>;
  /** Paths that the agent wrote to. A merge gives them the agent's times, even with the same content. */
  readonly written: Set<string>;
}

async function tell(story: readonly Step[]): Promise<{ merges: number; conflicts: number; combined: number }> {
  const { root, journal, close } = createBench({ variants: [] });
  const count = { merges: 0, conflicts: 0, combined: 0 };
  try {
    execFileSync("git", ["init", "-q", root]);
    writeFileSync(join(root, ".gitignore"), "ignored\n");
    for (const [path, content] of START) put(root, path, content);
    const live: Files = new Map(START);
    const agents = new Map<number, Agent>();
    for (const [index, one] of story.entries()) {
      const { who, path, what } = one;
      const agent = agents.get(who);
      if (who > 0 && !agent) {
        const frozen = await journal.freeze(callOf({ id: `a${index}`, tool: "Agent" }));
        agents.set(who, { frozen, base: new Map(live), own: new Map(live), rewritten: new Set(), written: new Set() });
      } else if (what === "start") continue;
      else if (what === "merge") {
        if (!agent) continue;
        agents.delete(who);
        await merge(agent);
      } else {
        const [folder, files] = agent ? [agent.frozen.root, agent.own] : [root, live];
        const content = changed(files.get(path), one, `by ${who} at ${index}`);
        put(folder, path, content);
        if (content === undefined) files.delete(path);
        else files.set(path, content);
        if (agent) agent.written.add(path);
        else rewrite(path);
      }
      for (const { frozen, own } of agents.values())
        expect(sorted(stateAt(frozen.root)), "a torn read").toEqual(sorted(own));
      expect(sorted(stateAt(root))).toEqual(sorted(live));
    }
    for (const agent of agents.values()) await merge(agent);

    function rewrite(path: string): void {
      if (path.startsWith("ignored/")) for (const { rewritten } of agents.values()) rewritten.add(path);
    }

    async function merge({ frozen, base, own, rewritten, written }: Agent): Promise<void> {
      const { conflicts, kept, held, failed } = await journal.merge(frozen, frozen.owner);
      count.merges++;
      expect(failed).toEqual([]);
      const open = new Set([...conflicts, ...kept].map((full) => full.slice(root.length + 1)));
      for (const path of everyPath) {
        const [was, mine, theirs] = [base.get(path), live.get(path), own.get(path)];
        const now = readAt(root, path);
        if (theirs === was || theirs === mine) expect(now, path).toBe(mine);
        else if (mine === was && !(rewritten.has(path) && open.has(path))) expect(now, path).toBe(theirs);
        else if (open.has(path)) expect(now, path).toBe(mine);
        else {
          // Only texts with changes in different lines are merged, to what git makes of them.
          const both =
            was === undefined || mine === undefined || theirs === undefined ? undefined : gitMerge(was, mine, theirs);
          expect(now, path).toBe(both);
          count.combined++;
        }
        if (now !== mine || written.has(path)) rewrite(path);
        if (now === undefined) live.delete(path);
        else live.set(path, now);
      }
      // The agent's version of every conflict is held, byte for byte.
      const versions = await Promise.all(held.map((id) => journal.showHeld(id)));
      const views = versions.map((one) => one.held.view);
      for (const full of conflicts) {
        count.conflicts++;
        const path = full.slice(root.length + 1);
        const copies = views.map((view) => readAt(`${view}/upper`, path));
        expect(copies, path).toContain(own.get(path));
      }
    }
  } finally {
    close();
  }
  return count;
}

/** Tells so many random stories. */
async function tellAll(numRuns: number): Promise<{ merges: number; conflicts: number; combined: number }> {
  const total = { merges: 0, conflicts: 0, combined: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (story) => {
      const { merges, conflicts, combined } = await tell(story);
      total.merges += merges;
      total.conflicts += conflicts;
      total.combined += combined;
    }),
    { numRuns, endOnFailure: true },
  );
  return total;
}

describe("random agents over frozen copies", () => {
  it("lose no byte and see no change of others: a serial model says the same", {
    tags: ["smoke"],
    timeout: 120_000,
  }, async () => {
    expect((await tellAll(2)).merges).toBeGreaterThan(0);
  });

  // `HAFT_UNDO_SCRIPTS=300` is the full size, in parts that end in time on a slow disk.
  const parts = Math.ceil(Number(process.env.HAFT_UNDO_SCRIPTS ?? 60) / 30);
  it.each(Array.from({ length: parts }, (_, index) => index))(
    "nor do they in 30 stories more (part %i)",
    async () => {
      const { merges, conflicts } = await tellAll(30);
      expect([merges > 0, conflicts > 0]).toEqual([true, true]);
    },
    600_000,
  );
});
