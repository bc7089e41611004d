/** A short command: plain, confined, captured for undo, both; one after the other, in a row, and eight at once. */
import { type Contender, openContender } from "../contender.ts";
import { type Effort, interleave, type Part, type Row, type Work } from "../measure.ts";
import { scratch } from "../places.ts";

const HAFT = ["plain", "confined", "captured", "confined and captured"];
const PAUSE_MS = 40;
const PARALLEL = [1, 2, 4, 8, 16];

export const shell: Part = {
  charts: [
    {
      ...{ id: "paused", title: "A command, with a pause before it", axis: "case", floor: "bash" },
      remark: `The pause of ${PAUSE_MS} ms stands for a model's answer; Haft sets up the next sandbox in it.`,
    },
    {
      ...{ id: "back-to-back", title: "Commands back to back, per command", axis: "case", floor: "bash" },
      remark: "bash and bwrap: a bare process with no output limit, time limit or record.",
    },
    {
      ...{ id: "parallel", title: "Commands at once, per command", axis: "commands at once", floor: "bash" },
      remark: "The commands only write their output. Captured commands whose effects conflict wait for one another.",
    },
  ],
  async run({ rounds, isQuick }: Effort) {
    using place = scratch();
    const opened = new Map<string, Contender>();
    const add = async (label: string, name: string, variant?: string) =>
      opened.set(label, await openContender(name, { ...place, ...(variant ? { variant } : {}) }));
    await add("floor", "floor");
    for (const variant of HAFT) await add(`haft, ${variant}`, "haft", variant);
    await add("Gemini CLI core", "gemini");
    await add("pi", "pi");
    await add("sandbox-runtime", "sandbox-runtime");
    const rows: Row[] = [];
    let count = 0;
    // The command writes nothing that is known ahead: it may change anything, so it is confined and captured in full.
    const command = () => `eval "echo ${++count}"`;
    const works = (op: string, inputOf: () => unknown, series: number, pauseMs = 0): Record<string, Work> =>
      Object.fromEntries(
        [...opened].flatMap(([label, contender]): [string, Work][] => {
          const one =
            (asked: string): Work =>
            async () => {
              let spent = 0;
              for (let at = 0; at < series; at++) {
                if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
                spent += (await contender.ask(asked, inputOf())).ms;
              }
              return spent / series;
            };
          if (label !== "floor") return [[label, one(op)]];
          return [
            ["bash", one(op)],
            ["bwrap", one(op === "shell" ? "bwrap" : "bwrapParallel")],
          ];
        }),
      );
    const many = isQuick ? 3 : rounds;
    const at = { at: "command", unit: "ms", rounds: many, warm: 2 };
    const single = () => ({ command: command() });
    rows.push(...(await interleave({ chart: "paused", ...at }, works("shell", single, 1, PAUSE_MS))));
    rows.push(...(await interleave({ chart: "back-to-back", ...at }, works("shell", single, 5))));
    for (const width of isQuick ? PARALLEL.slice(0, 2) : PARALLEL) {
      const several = () => ({ commands: Array.from({ length: width }, () => `echo ${++count}`) });
      const measured = await interleave(
        { chart: "parallel", at: width, unit: "ms", rounds: isQuick ? 2 : Math.ceil(many / 2) },
        perCommand(works("shellParallel", several, 1), width),
      );
      rows.push(...measured);
    }
    await Promise.all([...opened.values()].map((one) => one.close()));
    return rows;
  },
};

const perCommand = (works: Readonly<Record<string, Work>>, width: number): Record<string, Work> =>
  Object.fromEntries(
    Object.entries(works).map(([name, work]): [string, Work] => [name, async (round) => (await work(round)) / width]),
  );
