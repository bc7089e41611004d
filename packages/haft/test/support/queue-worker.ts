// A worker as a process of its own. Arguments: the address of Redis, the folder, the home, the heartbeat in milliseconds.
import { startWorker } from "../../src/worker/index.ts";

const [url = "", folder = "", home = "", heartbeat = "2000"] = process.argv.slice(2);

await startWorker({
  ...{ url, workspaces: [folder], version: "test", concurrency: 2, heartbeatMs: Number(heartbeat) },
  haft: { withoutUserSettings: true, home, stateDir: `${home}/state`, onNotice: () => {} },
});
process.stdout.write("ready\n");
