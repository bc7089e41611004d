/** Runs the benches: all, or those whose name is given. Exit 1 when a figure is over its limit. */
import { adapterFigures } from "./adapters.bench.ts";
import { agentFigures } from "./agents.bench.ts";
import { browserFigures } from "./browser.bench.ts";
import { callFigures } from "./calls.bench.ts";
import { consoleFigures } from "./console.bench.ts";
import { editFigures } from "./edit.bench.ts";
import { fetchFigures } from "./fetch.bench.ts";
import { grepFigures } from "./grep.bench.ts";
import { instanceFigures } from "./instances.bench.ts";
import { journalFigures } from "./journal.bench.ts";
import { mcpFigures } from "./mcp.bench.ts";
import { mcpServerFigures } from "./mcp-server.bench.ts";
import { type Figure, report } from "./measure.ts";
import { offerFigures } from "./offer.bench.ts";
import { pipelineFigures } from "./pipeline.bench.ts";
import { policyFigures } from "./policy.bench.ts";
import { sandboxFigures } from "./sandbox.bench.ts";
import { scriptFigures } from "./scripts.bench.ts";
import { sessionFigures } from "./session.bench.ts";
import { startFigures } from "./start.bench.ts";
import { terminalFigures } from "./terminal.bench.ts";
import { tierFigures } from "./tiers.bench.ts";
import { workerFigures } from "./workers.bench.ts";

const benches: Record<string, () => Promise<Figure[]>> = {
  adapters: adapterFigures,
  calls: callFigures,
  instances: instanceFigures,
  pipeline: pipelineFigures,
  policy: policyFigures,
  offer: offerFigures,
  edit: editFigures,
  grep: grepFigures,
  session: sessionFigures,
  agents: agentFigures,
  scripts: scriptFigures,
  start: startFigures,
  terminal: terminalFigures,
  console: consoleFigures,
  "mcp-server": mcpServerFigures,
  sandbox: sandboxFigures,
  journal: journalFigures,
  tiers: tierFigures,
  mcp: mcpFigures,
  workers: workerFigures,
  browser: browserFigures,
  fetch: fetchFigures,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(`There is no bench "${unknown.join('", "')}". There are: ${Object.keys(benches).join(", ")}.\n`);
  process.exit(2);
}
const figures: Figure[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length === 0 || wanted.includes(name)) figures.push(...(await bench()));
}
process.exitCode = report(figures) ? 0 : 1;
