/** A command that changes 10 to 50,000 files so that it can be undone, and the undo. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openContender } from "../contender.ts";
import { type Effort, failedRow, interleave, type Part, type Row, timed } from "../measure.ts";
import { growTree, scratch } from "../places.ts";

/** A busy disk must not hold up the other parts. */
const BUDGET_MS = 150_000;
const SIZES = [10, 100, 1_000, 10_000, 50_000];

export const undo: Part = {
  charts: [
    {
      ...{ id: "change", title: "A command that changes files, with what its undo needs", axis: "changed files" },
      ...{ floor: "bare" },
      remark:
        "In a tree of 50,000 files. `git snapshot`: add and commit to a repository beside the tree before the command, as the checkpoints of Gemini CLI and opencode do.",
    },
    {
      ...{ id: "undo", title: "The undo of it", axis: "changed files", floor: "git restore" },
      remark: "Haft first checks that nobody has changed the files since; git overwrites them.",
    },
  ],
  async run({ rounds, isQuick }: Effort) {
    using place = scratch();
    const most = isQuick ? 1_000 : SIZES.at(-1)!;
    growTree(place.cwd, 0, most);
    const git = gitBeside(place.cwd, place.home);
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--message", "first");
    const haft = await openContender("haft", place);
    const rows: Row[] = [];
    const sizes = SIZES.filter((size) => size <= most);
    const from = performance.now();
    for (const count of isQuick ? sizes.slice(0, 2) : sizes) {
      if (performance.now() - from > BUDGET_MS) {
        const late = `the smaller changes took more than ${BUDGET_MS / 1_000} s`;
        rows.push(failedRow("change", "haft", count, late), failedRow("undo", "haft", count, late));
        continue;
      }
      const list = join(place.home, `list${count}`);
      writeFileSync(list, paths(count).join("\n"));
      const command = `xargs -d '\\n' -a '${list}' sed -i 's/line 1"/line one"/'`;
      const run = () => execFileSync("/bin/bash", ["-c", command], { cwd: place.cwd });
      const back = () => git("checkout", "--force", "HEAD", "--", ".");
      const undone: Record<string, number[]> = { haft: [], "git restore": [] };
      const few = { at: count, unit: "ms", ...roundsFor(count, isQuick ? 2 : rounds) };
      rows.push(
        ...(await interleave(
          { chart: "change", ...few },
          {
            async bare() {
              const ms = await timed(run);
              back();
              return ms;
            },
            async haft() {
              const { ms } = await haft.ask("shell", { command });
              undone.haft!.push((await haft.ask("undo")).ms);
              return ms;
            },
            async "git snapshot"() {
              const ms = await timed(() => {
                git("add", "--all");
                git("commit", "--quiet", "--allow-empty", "--message", "snapshot");
                run();
              });
              undone["git restore"]!.push(await timed(back));
              return ms;
            },
          },
        )),
      );
      const works = Object.entries(undone).map(([name, all]) => [name, async (round: number) => all[round]!] as const);
      rows.push(...(await interleave({ chart: "undo", ...few }, Object.fromEntries(works))));
    }
    await haft.close();
    return rows;
  },
};

/** Large changes take seconds, so that a first round for the compiler does not matter. */
const roundsFor = (count: number, rounds: number): { readonly rounds: number; readonly warm: number } =>
  count > 1_000 ? { rounds: count > 10_000 ? 1 : 2, warm: 0 } : { rounds: Math.min(rounds, 5), warm: 1 };

const paths = (count: number): string[] =>
  Array.from({ length: count }, (_, at) =>
    join(`pack${Math.floor(at / 20_000)}`, `part${Math.floor(at / 200)}`, `file${at}.${at % 50 === 0 ? "md" : "ts"}`),
  );

function gitBeside(cwd: string, home: string): (...args: readonly string[]) => void {
  const person = { GIT_AUTHOR_NAME: "b", GIT_AUTHOR_EMAIL: "b@localhost" };
  const committer = { GIT_COMMITTER_NAME: "b", GIT_COMMITTER_EMAIL: "b@localhost" };
  const env = { PATH: process.env.PATH ?? "", HOME: home, GIT_DIR: join(home, "shadow.git"), GIT_WORK_TREE: cwd };
  return (...args) => {
    execFileSync("git", args, { cwd, env: { ...env, ...person, ...committer }, stdio: "ignore" });
  };
}
