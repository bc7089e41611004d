// A process with one REPL call, which can be killed in the middle: `node repl-process.ts FOLDER CODE|- before|inside|never NUMBER`.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, state } from "@haft/core/tool";
import { createHaft } from "../../src/index.ts";

const [folder = "", code = "", when = "never", number = "0"] = process.argv.slice(2);
let decided = 0;
const die = (): void => void process.kill(process.pid, "SIGKILL");

const step = defineTool({
  name: "Step",
  description: "Writes a line.",
  input: {
    type: "object",
    properties: { line: { type: "string" } },
    required: ["line"],
    additionalProperties: false,
  } as const,
  can: ["state"],
  effects: () => {
    decided += 1;
    if (when === "before" && decided === Number(number)) die();
    return [state("lines")];
  },
  run({ line }) {
    appendFileSync(join(folder, "lines.txt"), `${line}\n`);
    if (when === "inside" && decided === Number(number)) die();
    return `did ${line}`;
  },
});

await using haft = await createHaft({
  cwd: folder,
  stateDir: join(folder, "state"),
  session: "repl",
  tools: [step],
  rules: { allow: ["Step"] },
  settings: { gates: { repl: true } },
});
const input = code === "-" ? { code: "", resume: true } : { code };
const [outcome] = await haft.run([{ id: `r${process.pid}`, tool: "REPL", input }]);
const { error, content } = outcome!.result;
console.log(
  error ? `${error.code}: ${error.message}` : content.map((part) => ("text" in part ? part.text : "")).join(""),
);
