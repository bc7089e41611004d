/** Draws a chart as SVG: curves on logarithmic axes where the points are numbers, else bars. Readable on light and dark. */
import type { Chart, Row } from "../measure.ts";

const WIDTH = 720;
const LEFT = 64;
const RIGHT = 190;
/** Colours with enough contrast on white and on near-black; Haft is the first. */
const COLOURS = ["#d9480f", "#868e96", "#1c7ed6", "#2f9e44", "#9c36b5", "#e8890c", "#0c8599", "#c2255c"];
const STYLE =
  "text{font:12px system-ui,sans-serif;fill:#5c636a}.t{font-weight:600;font-size:14px}.g{stroke:#8a8f9444}" +
  "@media(prefers-color-scheme:dark){text{fill:#adb5bd}}";

export function drawChart(chart: Chart, rows: readonly Row[]): string {
  const able = rows.filter(({ note }) => note === undefined);
  const isCurve = able.every(({ at }) => typeof at === "number") && new Set(able.map(({ at }) => at)).size > 1;
  const unit = able[0]!.unit;
  const better = chart.isHigherBetter ? "higher is better" : "lower is better";
  const { body, height } = isCurve ? curves(chart, able) : bars(able);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(chart.title)}">`,
    `<style>${STYLE}</style>`,
    `<text class="t" x="12" y="20">${escaped(chart.title)}</text>`,
    `<text x="12" y="38">${unit}${isCurve ? ", both axes logarithmic" : ""}; ${better}</text>`,
    body,
    "</svg>\n",
  ].join("\n");
}

const colourOf = (names: readonly string[]): ((name: string) => string) => {
  const sorted = names.toSorted((a, b) => Number(b.startsWith("haft")) - Number(a.startsWith("haft")));
  return (name) => COLOURS[sorted.indexOf(name) % COLOURS.length]!;
};

const namesOf = (rows: readonly Row[]): readonly string[] => [...new Set(rows.map(({ contender }) => contender))];

function curves(chart: Chart, rows: readonly Row[]): { body: string; height: number } {
  const [top, bottom, height] = [54, 300, 344];
  const [points, values] = [rows.map(({ at }) => Number(at)), rows.map(({ median }) => median)];
  const x = scale(points, LEFT, WIDTH - RIGHT);
  const y = scale(values, bottom, top);
  const names = namesOf(rows);
  const colour = colourOf(names);
  const grid = powers(values).map(
    (value) =>
      `<line class="g" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}"/><text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${short(value)}</text>`,
  );
  const ticks = [...new Set(points)].map(
    (point) => `<text x="${x(point)}" y="${bottom + 18}" text-anchor="middle">${short(point)}</text>`,
  );
  const lines = names.map((name) => {
    const own = rows.filter(({ contender }) => contender === name).toSorted((a, b) => Number(a.at) - Number(b.at));
    const path = own.map(({ at, median }) => `${x(Number(at))},${y(median)}`);
    const dots = path.map(
      (at) => `<circle cx="${at.split(",")[0]}" cy="${at.split(",")[1]}" r="3" fill="${colour(name)}"/>`,
    );
    const width = name.startsWith("haft") ? 3 : 1.6;
    return `<polyline points="${path.join(" ")}" fill="none" stroke="${colour(name)}" stroke-width="${width}"/>${dots.join("")}`;
  });
  const ends = names
    .map((name) => ({ name, at: y(rows.findLast(({ contender }) => contender === name)!.median) }))
    .sort((a, b) => a.at - b.at);
  let last = 0;
  const legend = ends.map(({ name, at }) => {
    last = Math.max(at + 4, last + 15);
    return `<text x="${WIDTH - RIGHT + 10}" y="${last}" style="fill:${colour(name)}">${escaped(name)}</text>`;
  });
  const axis = `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${bottom + 36}" text-anchor="middle">${escaped(chart.axis)}</text>`;
  return { body: [...grid, ...ticks, axis, ...lines, ...legend].join("\n"), height };
}

function bars(rows: readonly Row[]): { body: string; height: number } {
  const points = [...new Set(rows.map(({ at }) => at))];
  const colour = colourOf(namesOf(rows));
  const most = Math.max(...rows.map(({ median }) => median));
  const [from, to] = [240, WIDTH - 90];
  let at = 52;
  const body = points.flatMap((point) => {
    if (points.length > 1) at += 18;
    const label =
      points.length > 1 ? [`<text class="t" x="12" y="${at}" font-size="12">${escaped(String(point))}</text>`] : [];
    const own = rows.filter((row) => row.at === point);
    const lines = own.map(({ contender, median }) => {
      at += 22;
      const width = Math.max(1, ((to - from) * median) / most);
      return `<text x="${from - 8}" y="${at}" text-anchor="end">${escaped(contender)}</text><rect x="${from}" y="${at - 12}" width="${width.toFixed(1)}" height="15" rx="2" fill="${colour(contender)}"/><text x="${(from + width + 6).toFixed(1)}" y="${at}">${short(median)}</text>`;
    });
    at += points.length > 1 ? 6 : 0;
    return [...label, ...lines];
  });
  return { body: body.join("\n"), height: at + 18 };
}

/** A logarithmic scale from the least to the greatest value. */
function scale(values: readonly number[], from: number, to: number): (value: number) => number {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => Math.log10(Math.max(value, 1e-6)));
  const span = Math.max(most! - least!, 1e-9);
  return (value) => Number((from + ((to - from) * (Math.log10(Math.max(value, 1e-6)) - least!)) / span).toFixed(1));
}

/** Lines of the grid: powers of ten, and where there are few of them, the double and the fivefold of each. */
function powers(values: readonly number[]): readonly number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [least, most] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const tens = Array.from({ length: most - least + 1 }, (_, at) => 10 ** (least + at));
  const within = (all: readonly number[]) => all.filter((value) => value >= low && value <= high);
  return within(tens).length > 2 ? within(tens) : within(tens.flatMap((ten) => [ten, 2 * ten, 5 * ten]));
}

const short = (value: number): string =>
  value >= 1e6
    ? `${value / 1e6} M`
    : value >= 1e4
      ? `${Math.round(value / 100) / 10} k`
      : String(Number(value.toPrecision(3)));

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("`", "");
