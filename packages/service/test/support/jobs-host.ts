// A host with background jobs, to be killed: starts the commands given as arguments and says their processes.
import { createJobs } from "../../src/jobs/index.ts";

const jobs = createJobs();
const states = await Promise.all(process.argv.slice(2).map((command) => jobs.start({ command, cwd: "/" })));
console.log(states.map(({ pid }) => pid).join(" "));
setInterval(() => {}, 1000);
