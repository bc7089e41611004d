// A session with a stubborn server in the sandbox, that waits to be killed: `node confined-host.ts BASE SERVER MARK`.
import { createHaft } from "../../src/app/create-haft.ts";

const [base = "", server = "", mark = ""] = process.argv.slice(2);
const haft = await createHaft({
  cwd: `${base}/work`,
  home: `${base}/home`,
  stateDir: `${base}/state`,
  settings: false,
});
haft.mcp.add({ name: "stubborn", command: process.execPath, args: [server, "stubborn", mark], sandbox: true });
await haft.mcp.settled();
process.stdout.write(`${haft.mcp.list()[0]?.state}\n`);
setInterval(() => {}, 1_000);
