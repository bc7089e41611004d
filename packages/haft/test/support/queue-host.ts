// A host that makes calls until each has an answer. Arguments: the address of Redis, the folder, the home. The home
// holds `calls.json` (id, tool and input of each) and gets `answers.jsonl`. Started again after a kill, it makes the
// calls again that have no answer yet, with their old ids. It makes only as many as the file `last` says, once that is there.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createHaft } from "../../src/app/create-haft.ts";

const [url = "", folder = "", home = ""] = process.argv.slice(2);
const answers = join(home, "answers.jsonl");
const calls: readonly { id: string; tool: string; input: unknown }[] = JSON.parse(
  readFileSync(join(home, "calls.json"), "utf8"),
);
const lines = existsSync(answers) ? readFileSync(answers, "utf8").split("\n") : [];
// A line that was cut by a kill is no answer.
const answered = new Set(lines.flatMap((line) => (line.endsWith("}") ? [JSON.parse(line).id] : [])));
if (lines.at(-1) !== undefined && lines.at(-1) !== "") appendFileSync(answers, "\n");
const open = calls.map((call, index) => ({ ...call, index })).filter(({ id }) => !answered.has(id));
const isWanted = ({ index }: { index: number }): boolean =>
  !existsSync(join(home, "last")) || index < Number(readFileSync(join(home, "last"), "utf8") || calls.length);

const haft = await createHaft({
  ...{ cwd: folder, home, stateDir: `${home}/state`, withoutUserSettings: true, mode: "bypassPermissions" },
  ...{ session: "kills", loopGuard: false, onNotice: () => {}, queue: { url, startWithinMs: 30_000 } },
});
process.stdout.write("ready\n");
async function lane(): Promise<void> {
  for (let call = open.shift(); call && isWanted(call); call = open.shift()) {
    const { id, tool, input } = call;
    const { error } = await haft.call(tool, input, { id });
    appendFileSync(answers, `${JSON.stringify({ id, code: error?.code ?? "ok", message: error?.message })}\n`);
  }
}
await Promise.all([lane(), lane(), lane(), lane()]);
await haft[Symbol.asyncDispose]();
process.stdout.write("done\n");
