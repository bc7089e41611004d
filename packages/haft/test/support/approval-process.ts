// A process with one call that asks, and that is killed on its way: `node approval-process.ts FOLDER ID after-yes|inside|never`.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, state } from "@haft/core/tool";
import { createHaft } from "../../src/index.ts";

const [folder = "", id = "", when = "never"] = process.argv.slice(2);
const die = (): void => void process.kill(process.pid, "SIGKILL");

const step = defineTool({
  name: "Step",
  description: "Writes a line.",
  input: { type: "object", properties: {}, additionalProperties: false } as const,
  can: ["state"],
  effects: () => [state("lines")],
  run() {
    appendFileSync(join(folder, "lines.txt"), "ran\n");
    if (when === "inside") die();
    return "done";
  },
});

await using haft = await createHaft({
  ...{ cwd: folder, home: folder, env: {}, settings: false, stateDir: join(folder, "state"), session: "s1" },
  tools: [step],
  rules: { ask: ["Step"] },
  // Only a process that dies has somebody who says yes.
  ...(when === "never" ? {} : { ask: async () => ({ behavior: "allow" as const }) }),
});
haft.on(() => {
  if (when === "after-yes") die();
}, ["tool:permission:response"]);
const { error, content } = await haft.call("Step", {}, { id });
console.log(error ? error.code : content.map((part) => ("text" in part ? part.text : "")).join(""));
