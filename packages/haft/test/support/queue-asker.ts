// A host that calls Bash once and prints "yes" when a person has allowed it, then the code of the end. Arguments: the address
// of Redis, the folder, the home, the id of the call, and whether a person is there: "person" or "nobody".
import { createHaft } from "../../src/app/create-haft.ts";

const [url = "", folder = "", home = "", id = "", who] = process.argv.slice(2);
await using haft = await createHaft({
  ...{ cwd: folder, home, stateDir: `${home}/state`, withoutUserSettings: true, session: "asks", onNotice: () => {} },
  ...{ rules: { ask: ["Bash"] }, queue: { url, startWithinMs: 30_000 } },
  ...(who === "person" ? { ask: async () => ({ behavior: "allow" as const }) } : {}),
});
haft.on(() => process.stdout.write("yes\n"), ["tool:permission:response"]);
const { error } = await haft.call("Bash", { command: "echo ran >> log" }, { id });
process.stdout.write(`${error?.code ?? "done"}\n`);
