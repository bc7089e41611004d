/** Reading, finding, searching and editing in trees of 1,000 to 500,000 files. */
import { type Contender, openContender } from "../contender.ts";
import { type Effort, failedRow, interleave, type Part, type Row, type Work } from "../measure.ts";
import { growTree, scratch } from "../places.ts";

const SIZES = [1_000, 10_000, 50_000, 100_000, 500_000];
const NAMES: Readonly<Record<string, string>> = {
  floor: "floor",
  haft: "haft",
  gemini: "Gemini CLI core",
  pi: "pi",
  opencode: "opencode (server)",
};
const FILE = "pack0/part0/file1.ts";
const BY_MODEL = "opencode: from the call of a scripted model to the result that it reads.";

/** Cases that some contenders cannot do here, and why. */
const CANNOT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  glob: { pi: "its find needs a newer fd than Debian 12 has" },
};

export const files: Part = {
  charts: [
    { id: "read", title: "Read of a file of 1 KB", axis: "files in the tree", floor: "floor" },
    {
      ...{ id: "glob", title: "Glob: *.md, a fiftieth of the files, newest first", axis: "files in the tree" },
      ...{ floor: "floor", remark: `Floor: ripgrep's list, and a look at the time of each match. ${BY_MODEL}` },
    },
    {
      ...{ id: "grep", title: "Grep: a hundredth of the files match", axis: "files in the tree", floor: "floor" },
      remark: "Floor: bare ripgrep. Haft shows 100 lines and counts all; Gemini CLI core, pi and opencode stop at 100.",
    },
    {
      ...{ id: "edit", title: "Edit: one exact replacement", axis: "files in the tree", floor: "floor" },
      remark: BY_MODEL,
    },
  ],
  async run({ rounds, files: most, isQuick }: Effort) {
    using place = scratch();
    const rows: Row[] = [];
    let there = 0;
    for (const count of isQuick ? SIZES.slice(0, 2) : SIZES.filter((size) => size <= most)) {
      growTree(place.cwd, there, count);
      there = count;
      const opened = new Map<string, Contender>();
      for (const name of Object.keys(NAMES)) opened.set(name, await openContender(name, place));
      const slow = isQuick ? 2 : Math.max(3, Math.round((rounds * 1_000) / count));
      const quick = isQuick ? 3 : rounds;
      const cases: readonly [string, number, number, (round: number) => unknown][] = [
        ["read", quick, 5, () => ({ path: FILE })],
        ["glob", Math.min(quick, slow), 1, () => ({ pattern: "**/*.md" })],
        ["grep", Math.min(quick, slow), 1, () => ({ pattern: "needle" })],
        ["edit", quick, 1, (round) => edited(round)],
      ];
      for (const [op, howOften, times, inputOf] of cases) {
        const able = [...opened].filter(([name]) => CANNOT[op]?.[name] === undefined);
        const works = able.map(([name, contender], place): [string, Work] => [
          NAMES[name]!,
          // Each contender edits a file of its own, which Haft wants to have been read.
          async (round) => {
            const input =
              op === "edit" ? { ...(inputOf(round) as object), path: ownFile(place, count) } : inputOf(round);
            if (op === "edit" && round === 0) await contender.ask("read", { path: ownFile(place, count) });
            return (await contender.ask(op, input, times)).ms;
          },
        ]);
        rows.push(
          ...(await interleave({ chart: op, at: count, unit: "ms", rounds: howOften }, Object.fromEntries(works))),
        );
      }
      for (const [op, names] of Object.entries(CANNOT))
        for (const [name, why] of Object.entries(names)) rows.push(failedRow(op, NAMES[name]!, count, why));
      await Promise.all([...opened.values()].map((one) => one.close()));
    }
    return rows;
  },
};

const ownFile = (place: number, count: number): string =>
  `pack0/part${SIZES.indexOf(count)}/file${SIZES.indexOf(count) * 200 + place + 2}.ts`;

/** There and back, so that every round has a match. */
const edited = (round: number): { readonly from: string; readonly to: string } =>
  round % 2 === 0
    ? { from: "value7 = compute(7,", to: "value7 = changed(7," }
    : { from: "value7 = changed(7,", to: "value7 = compute(7," };
