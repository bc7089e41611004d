/**
 * Runs the benches against peers and writes docs/benchmarks.md: all parts, or those named. `--quick`: few points and
 * rounds. `--rounds N`, `--files N` (largest tree), `--batches FILE` (recorded batches), `--report`: only write the page.
 */
import { parseArgs } from "node:util";
import { type Effort, type Part, save } from "./measure.ts";
import { batches } from "./part/batches.ts";
import { files } from "./part/files.ts";
import { mcp } from "./part/mcp.ts";
import { pipeline } from "./part/pipeline.ts";
import { sessions } from "./part/sessions.ts";
import { shell } from "./part/shell.ts";
import { start } from "./part/start.ts";
import { tokens } from "./part/tokens.ts";
import { undo } from "./part/undo.ts";
import { workers } from "./part/workers.ts";
import { writeReport } from "./report/report.ts";

const parts: Readonly<Record<string, Part>> = {
  ...{ start, pipeline, files, shell, batches, mcp, sessions, undo, tokens, workers },
};

/** The results of `batches` with a file of recordings stand beside those of the generated batches. */
const RECORDED = "batches-recorded";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
    rounds: { type: "string", default: "20" },
    files: { type: "string", default: "500000" },
    batches: { type: "string" },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(parts, name));
const numbers = [values.rounds, values.files].map(Number);
if (unknown.length > 0 || numbers.some((value) => !Number.isInteger(value) || value < 1)) {
  const wrong =
    unknown.length > 0 ? `There is no part "${unknown.join('", "')}".` : "--rounds and --files take numbers.";
  process.stderr.write(`${wrong} Parts: ${Object.keys(parts).join(", ")}.\n`);
  process.exit(2);
}
const effort: Effort = {
  ...{ rounds: numbers[0]!, files: numbers[1]!, isQuick: values.quick },
  ...(values.batches ? { batches: values.batches } : {}),
};
for (const [name, { charts, run }] of values.report ? [] : Object.entries(parts)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const from = performance.now();
  const rows = await run(effort);
  const seconds = (performance.now() - from) / 1_000;
  save(name === "batches" && values.batches ? RECORDED : name, charts, rows, seconds);
  process.stdout.write(`${name}: ${rows.length} figures in ${seconds.toFixed(0)} s\n`);
  for (const { contender, chart, at, note } of rows)
    if (note) process.stdout.write(`  no figure for ${contender}, ${chart}, ${at}: ${note}\n`);
}
writeReport(Object.keys(parts).flatMap((name) => (name === "batches" ? [name, RECORDED] : [name])));
