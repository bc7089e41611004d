/** Writes docs/benchmarks.md and its charts from the stored results. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Chart, load, type PartResult, type Row } from "../measure.ts";
import { drawChart } from "./draw.ts";

const docs = join(import.meta.dirname, "../../../docs");
const pictures = join(docs, "img/bench");

export function writeReport(parts: readonly string[]): void {
  const results = parts.map(load).filter((result) => result !== undefined);
  mkdirSync(pictures, { recursive: true });
  for (const name of readdirSync(pictures)) rmSync(join(pictures, name));
  const sections = results.flatMap(sectionsOf);
  writeFileSync(join(docs, "benchmarks.md"), `${[head(results), ...sections].join("\n\n")}\n`);
}

function head(results: readonly PartResult[]): string {
  const { machine } = results[0]!;
  const loads = results.map(
    ({ part, machine: { load, date }, seconds }) => `| ${part} | ${date} | ${load} | ${seconds} |`,
  );
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  return [
    "# Benchmarks",
    "",
    "<!-- Written by `npm run bench:peers`; do not edit. -->",
    "",
    "Haft beside the libraries and programs that people compare it with, and beside the bare thing below them all (the floor).",
    "All contenders do the same work in turns, each in a process of its own, so that other work on the machine affects all",
    "alike. A figure is the median of the rounds. **Bold**: the best contender apart from the floor. Haft's column also has its ratio to the floor or,",
    "without one, to the best other contender. Where Haft is behind another contender, the row ends with ◀ and its name.",
    "",
    "```sh",
    "npm run bench:peers                    # installs the peers, measures all parts, writes this page",
    "npm run bench:peers -- shell --quick   # one part, few rounds",
    "npm run bench:peers -- files --files 100000   # smaller trees; 500,000 files are the default",
    "```",
    "",
    `Machine: ${machine.processor}, ${machine.processors} processors, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}.`,
    `Versions: ${versions.join(", ")}.`,
    "",
    "| part | measured | load at the end | seconds |",
    "|---|---|---|---|",
    ...loads,
  ].join("\n");
}

function sectionsOf({ part, charts, rows }: PartResult): readonly string[] {
  return charts.flatMap((chart) => {
    const own = rows.filter((row) => row.chart === chart.id);
    if (own.every(({ note }) => note !== undefined)) return [];
    writeFileSync(join(pictures, `${part}-${chart.id}.svg`), drawChart(chart, own));
    const title = `## ${chart.title}${part.endsWith("-recorded") ? ", as recorded" : ""}`;
    const picture = `![${chart.title}](img/bench/${part}-${chart.id}.svg)`;
    return [
      [title, "", picture, "", table(chart, own), ...(chart.remark ? ["", chart.remark] : []), ...notes(own)].join(
        "\n",
      ),
    ];
  });
}

/** A line for each point, a column for each contender; or a line for each contender where there is one point. */
function table(chart: Chart, rows: readonly Row[]): string {
  const points = [...new Set(rows.map(({ at }) => at))];
  const names = [...new Set(rows.map(({ contender }) => contender))];
  const unit = rows.find(({ note }) => !note)!.unit;
  if (points.length === 1) return singlePoint(chart, rows, unit);
  const lines = points.map((at) => {
    const here = rows.filter((row) => row.at === at);
    const cells = names.map((name) =>
      cell(
        chart,
        here.find((row) => row.contender === name),
        here,
      ),
    );
    return `| ${typeof at === "number" ? at.toLocaleString("en") : at} | ${cells.join(" | ")} |${behind(chart, here)}`;
  });
  return [
    `| ${chart.axis} (${unit}) | ${names.join(" | ")} | |`,
    `|---|${names.map(() => "---:").join("|")}|---|`,
    ...lines.map((line) => (line.endsWith("|") ? `${line} |` : `${line} |`)),
  ].join("\n");
}

function singlePoint(chart: Chart, rows: readonly Row[], unit: string): string {
  const base = rows.find(({ contender }) => contender === chart.floor)?.median;
  const sorted = rows
    .filter(({ note }) => !note)
    .toSorted((a, b) => (chart.isHigherBetter ? b.median - a.median : a.median - b.median));
  const ratio = ({ median }: Row) => (base === undefined ? "" : `${(median / base).toFixed(2)} ×`);
  return [
    `| | median (${unit}) | least | ${base === undefined ? "" : `against ${chart.floor}`} |`,
    "|---|---:|---:|---:|",
    ...sorted.map(
      (row) =>
        `| ${isHaft(row) ? `**${row.contender}**` : row.contender} | ${figure(row.median)} | ${figure(row.least)} | ${ratio(row)} |`,
    ),
  ].join("\n");
}

function cell(chart: Chart, row: Row | undefined, here: readonly Row[]): string {
  if (!row || row.note !== undefined) return "-";
  const best = bestOther(chart, here, () => true);
  const text = best === row ? `**${figure(row.median)}**` : figure(row.median);
  if (!isHaft(row)) return text;
  const floor =
    here.find(({ contender }) => contender === chart.floor) ?? bestOther(chart, here, (one) => !isHaft(one));
  return floor && floor !== row ? `${text} (${(row.median / floor.median).toFixed(2)} ×)` : text;
}

/** The contender that is ahead of the best Haft, if any. */
function behind(chart: Chart, here: readonly Row[]): string {
  const best = bestOther(chart, here, () => true);
  return best && !isHaft(best) && here.some(isHaft) ? ` ◀ ${best.contender}` : "";
}

function bestOther(chart: Chart, here: readonly Row[], isWanted: (row: Row) => boolean): Row | undefined {
  const able = here.filter((row) => !row.note && row.contender !== chart.floor && isWanted(row));
  return able.toSorted((a, b) => (chart.isHigherBetter ? b.median - a.median : a.median - b.median))[0];
}

const isHaft = ({ contender }: Row): boolean => contender.startsWith("haft");

const notes = (rows: readonly Row[]): readonly string[] => {
  const said = new Map(rows.flatMap(({ contender, note }) => (note ? [[contender, note] as const] : [])));
  return said.size === 0 ? [] : ["", ...[...said].map(([name, note]) => `No figure for ${name}: ${note}.`)];
};

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
