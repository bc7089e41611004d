import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { runs } from "../../../test/support/runs.ts";
import { belongingsScript, hasBelongings, makeBelongings, wholeStateOf } from "../test/support/belongings.ts";
import { type Bench, createBench } from "../test/support/journal.ts";
import { scriptEnv } from "../test/support/mutations.ts";
import { viewWorks } from "../test/support/view.ts";
import type { CaptureOptions } from "./capture.ts";
import { scan } from "./image/scan.ts";
import type { Variant } from "./view/mount.ts";

/** `HAFT_UNDO_SCRIPTS=300` is the full size, for each tier. */
const RUNS = Number(process.env.HAFT_UNDO_SCRIPTS ?? runs(15));

interface Tier {
  readonly tier: string;
  readonly variants: readonly Variant[];
  readonly copies?: CaptureOptions["copies"];
  /** Whether undo must bring everything back; else it lists what it cannot. */
  readonly isExact: boolean;
}

const isRoot = process.geteuid?.() === 0;
const tiers: readonly Tier[] = [
  { tier: "view", variants: [isRoot ? "root" : "user"], isExact: true },
  { tier: "clone", variants: [isRoot ? "root-clone" : "user-clone"], isExact: true },
  { tier: "direct", variants: [], isExact: true },
  { tier: "direct, without a copy", variants: [], copies: "none", isExact: false },
];

const story = fc.record({
  scripts: fc.array(belongingsScript, { minLength: 1, maxLength: 3 }),
  /** After this command a file tool writes; after the last one a person does. */
  tool: fc.option(fc.nat(2)),
  person: fc.option(fc.constantFrom("a", "acl", "tagged", "by-hand")),
  end: fc.constantFrom("all", "one by one", "redo"),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

async function act(bench: Bench, { scripts, tool }: Story): Promise<void> {
  for (const [index, command] of scripts.entries()) {
    await bench.shell(`${command}\nwait`, { id: `c${index}` }, { env: scriptEnv });
    // A tool resolves links before it writes.
    const isLink = lstatSync(join(bench.root, "acl"), { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (tool === index && !isLink)
      await bench.write("acl", `by a tool at ${index}\n`, { id: `w${index}` }).catch(() => undefined);
  }
}

/** A person appends a line, unless there is no file or it has several names. Returns its content. */
function edit({ root }: Bench, name: string): Buffer | undefined {
  const path = join(root, name);
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found && !found.isFile()) return undefined;
  if (found && [...scan(root).entries.values()].filter(({ inode }) => inode === found.ino).length > 1) return undefined;
  writeFileSync(path, "by a person\n", { flag: "a" });
  return readFileSync(path);
}

async function undoAll(bench: Bench, end: Story["end"], force: boolean) {
  const { journal } = bench;
  if (end !== "one by one") return [await journal.undo({ all: true, force })];
  const calls = journal.history().entries.filter(({ state }) => state === "done");
  const all = [];
  for (const { call } of calls.reverse()) all.push(await journal.undo({ call, force }));
  return all;
}

/** Lines of two states that differ, apart from paths that are listed, and everything below these. */
function unlisted(before: readonly string[], now: readonly string[], listed: readonly string[]): readonly string[] {
  const isListed = (line: string) => listed.some((path) => line.startsWith(`${path} `) || line.startsWith(`${path}/`));
  const [old, fresh] = [before, now].map((lines) => regrouped(lines.filter((line) => !isListed(line))));
  return [
    ...old!.filter((line) => !fresh!.includes(line)).map((line) => `- ${line}`),
    ...fresh!.filter((line) => !old!.includes(line)).map((line) => `+ ${line}`),
  ];
}

/** The names of a file that these lines tell, without those that were left out. */
function regrouped(lines: readonly string[]): readonly string[] {
  const parts = lines.map((line) => /^(\/.*?)( \d+:\d+(?: holes)?) = (\/.*?)( \{.*)$/s.exec(line));
  const names = Map.groupBy(parts, (part) => part?.[3]);
  return lines.map((line, index) => {
    const [, path, owner, first, rest] = parts[index] ?? [];
    const all = names.get(first) ?? [];
    return path === undefined ? line : `${path}${owner}${all.length > 1 ? ` = ${all[0]?.[1]}` : ""}${rest}`;
  });
}

describe.each(tiers)("random stories in the tier $tier", ({ variants, copies, isExact }) => {
  const isHere = hasBelongings && variants.every(viewWorks);
  it.skipIf(!isHere)(
    "W01 W03 W08 undo brings back everything that belongs to a file, or lists what it cannot",
    { tags: ["smoke"], timeout: patience(20_000 + RUNS * 3_000) },
    async () => {
      await fc.assert(
        fc.asyncProperty(story, async (one) => {
          const bench = createBench({ variants, ...(copies ? { copies } : {}) });
          try {
            makeBelongings(bench.root);
            const before = wholeStateOf(bench.root);
            await act(bench, one);
            const after = wholeStateOf(bench.root);
            if (bench.journal.history().entries.every(({ state }) => state === "dropped")) {
              expect(unlisted(before, after, [])).toEqual([]);
              return;
            }
            const byHand = one.person === null ? undefined : edit(bench, one.person);
            const undone = await undoAll(bench, one.end, byHand !== undefined);
            const losses = undone.flatMap((each) => each.losses);
            const kept = undone.flatMap((each) => each.kept);
            if (byHand) expect(readFileSync(join(bench.root, one.person!))).toEqual(byHand);
            else expect(kept).toEqual([]);
            if (isExact && !byHand) expect(losses).toEqual([]);
            const listed = [...losses, ...kept].map(({ path }) => path.slice(bench.root.length));
            const theirs = byHand ? [`/${one.person}`] : [];
            expect(unlisted(before, wholeStateOf(bench.root), [...listed, ...theirs])).toEqual([]);
            if (one.end !== "redo" || byHand || losses.length > 0) return;
            await bench.journal.redo();
            expect(unlisted(after, wholeStateOf(bench.root), [])).toEqual([]);
          } finally {
            bench.close();
          }
        }),
        { numRuns: RUNS },
      );
    },
  );
});

it.skipIf(!hasBelongings)(
  "W01 a file that had the same content with attributes of its own does not come back for it",
  async () => {
    const bench = createBench();
    try {
      makeBelongings(bench.root);
      const before = wholeStateOf(bench.root);
      // For a while `a` is another name of `tagged`, with the content that it had at first.
      for (const [index, command] of ["cp a tagged; echo more >> a", "ln -f tagged a"].entries())
        await bench.shell(command, { id: `c${index}` }, { env: scriptEnv });
      await bench.journal.undo({ all: true });
      expect(wholeStateOf(bench.root)).toEqual(before);
    } finally {
      bench.close();
    }
  },
);
