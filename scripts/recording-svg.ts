/** The background of a recording. */
export type Theme = "dark" | "light";

/** A screen with its colours as escape sequences, and the milliseconds for which it is shown. */
export interface Frame {
  readonly text: string;
  readonly ms: number;
}

const ESC = "\u001b";
const COLOURS = new RegExp(`${ESC}\\[([\\d;]*)m`, "g");
/** A change of colours, text, or another sequence. */
const PIECES = new RegExp(`${ESC}\\[([\\d;]*)m|([^${ESC}]+)|${ESC}[^m]*.`, "g");

interface Size {
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
}

const [CELL, LINE, PAD] = [8.4, 18, 16];
/** Spinners and clocks change often; a shorter screen would only flicker. */
const LEAST_MS = 150;
const MOST_MS = 2_500;

const LOOKS = {
  dark: { back: "#14171a", text: "#e6e8ea", bar: "#2a2f34" },
  light: { back: "#fdfdfc", text: "#1f2328", bar: "#dcdcd8" },
};
const BASIC = {
  dark: ["#14171a", "#ff7b72", "#7ee787", "#f2cc60", "#79c0ff", "#d2a8ff", "#76e3ea", "#e6e8ea"],
  light: ["#1f2328", "#b3261e", "#116329", "#7d4e00", "#0b4f97", "#86198f", "#005f63", "#57606a"],
};

/** The animation: every different line is drawn once, and each screen is a list of references to lines. */
export function recordingSvg(frames: readonly Frame[], { columns, rows, theme }: Size): string {
  const shown = joined(frames);
  const lines = new Map<string, string>();
  const idOf = (line: string): string | undefined => {
    if (line.trimEnd() === "") return undefined;
    const known = lines.get(line) ?? `l${lines.size}`;
    lines.set(line, known);
    return known;
  };
  const total = shown.reduce((sum, { ms }) => sum + ms, 0);
  let from = 0;
  const screens = shown.map(({ text, ms }, at) => {
    const uses = wholeLines(text)
      .slice(0, rows)
      .map((line, row) => {
        const id = idOf(line);
        return id === undefined ? "" : `<use href="#${id}" y="${row * LINE}"/>`;
      });
    const [start, end] = [percent(from, total), percent(from + ms, total)];
    from += ms;
    const isLast = at === shown.length - 1;
    const steps = `${start > 0 ? `0%{visibility:hidden}` : ""}${start}%{visibility:visible}${isLast ? "" : `${end}%{visibility:hidden}`}`;
    return {
      style: `@keyframes f${at}{${steps}}#s${at}{animation:f${at} ${total}ms step-end infinite}`,
      group: `<g id="s${at}"${isLast ? "" : ' visibility="hidden"'}>${uses.join("")}</g>`,
    };
  });
  const { back, text, bar } = LOOKS[theme];
  const [width, height] = [Math.ceil(columns * CELL + 2 * PAD), rows * LINE + 2 * PAD];
  const defs = [...lines].map(([line, id]) => `<g id="${id}">${drawnLine(line, theme)}</g>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A session of Haft in the terminal: a task is typed, an edit is approved, the tests pass">
<style>text{font:14px ui-monospace,"SF Mono","Cascadia Mono","DejaVu Sans Mono",Menlo,monospace;fill:${text};white-space:pre}.b{font-weight:700}.d{opacity:.62}
${screens.map(({ style }) => style).join("\n")}
@media (prefers-reduced-motion:reduce){g[id^=s]{animation:none!important}}</style>
<rect width="${width}" height="${height}" rx="10" fill="${back}" stroke="${bar}"/>
<defs>${defs.join("\n")}</defs>
<g transform="translate(${PAD} ${PAD})">${screens.map(({ group }) => group).join("\n")}</g>
</svg>
`;
}

/** The lines of a screen, each with the colours that go on from the line before. */
function wholeLines(text: string): readonly string[] {
  let carried = "";
  return text.split("\n").map((line) => {
    const whole = carried + line;
    for (const [sequence, codes = ""] of line.matchAll(COLOURS))
      carried = codes === "" || codes === "0" ? "" : carried + sequence;
    return whole;
  });
}

const percent = (ms: number, total: number): number => Number(((100 * ms) / total).toFixed(3));

/** Screens without those that are too short to be seen, and without waiting that bores. */
function joined(frames: readonly Frame[]): readonly Frame[] {
  const kept: Frame[] = [];
  let carried = 0;
  for (const [at, { text, ms }] of frames.entries()) {
    carried += ms;
    if (carried < LEAST_MS && at < frames.length - 1) continue;
    kept.push({ text, ms: Math.min(MOST_MS, carried) });
    carried = 0;
  }
  return kept;
}

interface Look {
  fill?: string | undefined;
  back?: string | undefined;
  isBold: boolean;
  isDim: boolean;
  isInverse: boolean;
}

function drawnLine(line: string, theme: Theme): string {
  let look: Look = { isBold: false, isDim: false, isInverse: false };
  let column = 0;
  let drawn = "";
  for (const [piece, codes, words] of line.matchAll(PIECES)) {
    if (codes !== undefined) look = changed(look, codes.split(";").map(Number), theme);
    if (words === undefined || piece === "") continue;
    const width = [...words].length;
    drawn += drawnWords(words, column, width, look, theme);
    column += width;
  }
  return drawn;
}

function drawnWords(words: string, column: number, width: number, look: Look, theme: Theme): string {
  const { text, back } = LOOKS[theme];
  const [fill, behind] = look.isInverse ? [look.back ?? back, look.fill ?? text] : [look.fill, look.back];
  const x = Number((column * CELL).toFixed(1));
  const length = Number((width * CELL).toFixed(1));
  const rect = behind ? `<rect x="${x}" width="${length}" height="${LINE}" fill="${behind}"/>` : "";
  if (words.trim() === "") return rect;
  const classes = [...(look.isBold ? ["b"] : []), ...(look.isDim ? ["d"] : [])].join(" ");
  const more = `${classes ? ` class="${classes}"` : ""}${fill ? ` style="fill:${fill}"` : ""}`;
  const safe = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `${rect}<text x="${x}" y="13.5" textLength="${length}" xml:space="preserve"${more}>${safe}</text>`;
}

function changed(before: Look, codes: readonly number[], theme: Theme): Look {
  const look = { ...before };
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    if (code === 0)
      Object.assign(look, { fill: undefined, back: undefined, isBold: false, isDim: false, isInverse: false });
    else if (code === 1) look.isBold = true;
    else if (code === 2) look.isDim = true;
    else if (code === 22) Object.assign(look, { isBold: false, isDim: false });
    else if (code === 7 || code === 27) look.isInverse = code === 7;
    else if (code === 39) look.fill = undefined;
    else if (code === 49) look.back = undefined;
    else if (code >= 30 && code <= 37) look.fill = BASIC[theme][code - 30];
    else if (code >= 40 && code <= 47) look.back = BASIC[theme][code - 40];
    else if ((code === 38 || code === 48) && codes[at + 1] === 5) {
      look[code === 38 ? "fill" : "back"] = colour(codes[at + 2] ?? 0, theme);
      at += 2;
    }
  }
  return look;
}

/** A colour of the palette of 256. */
function colour(index: number, theme: Theme): string {
  if (index < 16) return BASIC[theme][index % 8]!;
  const hex = (value: number): string => value.toString(16).padStart(2, "0");
  if (index >= 232) return `#${hex(8 + (index - 232) * 10).repeat(3)}`;
  const part = (divisor: number): string => {
    const step = Math.floor((index - 16) / divisor) % 6;
    return hex(step === 0 ? 0 : 55 + step * 40);
  };
  return `#${part(36)}${part(6)}${part(1)}`;
}
