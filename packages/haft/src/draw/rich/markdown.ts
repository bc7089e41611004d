import { marked, type Token, type Tokens } from "marked";
import { programOutput } from "../sanitize.ts";
import { columnAfter, paint, piecesOf, type Style } from "../style.ts";
import { paintSpans, type Span, wrapSpans } from "./spans.ts";

/** Least columns of a table; on less, its rows become lists. */
const NARROW_TABLE = 30;

/** Draws Markdown as lines of a terminal. Its text is untrusted: nothing in it steers the terminal. */
export function drawMarkdown(text: string, style: Style): string {
  return blocks(marked.lexer(safe(text)), style, roomOf(style)).join("\n");
}

const roomOf = ({ width }: Style): number => (Number.isFinite(width) ? Math.max(width, 8) : 100);

/** Markdown keeps its line breaks; everything that steers a terminal is dropped or made visible. */
const safe = (text: string): string => programOutput(text, false).replaceAll("\t", "    ");

function blocks(tokens: readonly Token[], style: Style, width: number): string[] {
  const drawn = tokens.filter(({ type }) => type !== "space").map((token) => block(token, style, width));
  return drawn.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

function block(token: Token, style: Style, width: number): string[] {
  switch (token.type) {
    case "heading":
      return heading(token as Tokens.Heading, style, width);
    case "code":
      return code(token as Tokens.Code, style, width);
    case "list":
      return list(token as Tokens.List, style, width);
    case "table":
      return table(token as Tokens.Table, style, width);
    case "blockquote":
      return blocks((token as Tokens.Blockquote).tokens, style, width - 2).map((line) =>
        `${paint(style, "dim", "│")} ${line}`.trimEnd(),
      );
    case "hr":
      return [paint(style, "dim", "─".repeat(Math.min(width, 24)))];
    default:
      return rows(
        "tokens" in token && token.tokens ? spansOf(token.tokens) : [{ text: token.raw.trimEnd() }],
        style,
        width,
      );
  }
}

const rows = (spans: readonly Span[], style: Style, width: number): string[] =>
  wrapSpans(spans, width).map((row) => paintSpans(row, style));

const heading = ({ depth, tokens }: Tokens.Heading, style: Style, width: number): string[] => {
  const inks = depth === 1 ? (["bold", "underline", "accent"] as const) : (["bold", "accent"] as const);
  const spans = spansOf(tokens).map((span) => ({ ...span, inks: [...(span.inks ?? []), ...inks] }));
  return rows(spans, style, width);
};

/** Code is never broken between words: copying it must give what was written. */
function code({ text, lang = "" }: Tokens.Code, style: Style, width: number): string[] {
  const language = /^[\w+#-]{1,20}/.exec(lang)?.[0] ?? "";
  const lines = style.highlight?.(text, language) ?? text.split("\n").map((line) => paint(style, "cyan", line));
  const bar = paint(style, "dim", "▏");
  return lines.flatMap((line) => cut(line, width - 2).map((piece) => `${bar} ${piece}`.trimEnd()));
}

/** Splits a coloured line into pieces that fit. A piece begins with the colour that the one before ended in. */
function cut(line: string, width: number): string[] {
  if (columnAfter(line, 0) <= width) return [line];
  const pieces: string[] = [];
  let piece = "";
  let column = 0;
  let colour = "";
  for (const [part] of piecesOf(line)) {
    if (part.startsWith("\u001b")) colour = part === "\u001b[39m" ? "" : part;
    else if (columnAfter(part, column) > width && column > 0) {
      pieces.push(colour === "" ? piece : `${piece}\u001b[39m`);
      piece = colour;
      column = 0;
    }
    piece += part;
    if (!part.startsWith("\u001b")) column = columnAfter(part, column);
  }
  return [...pieces, piece];
}

function list({ items, ordered, start }: Tokens.List, style: Style, width: number): string[] {
  const last = String(Number(start || 1) + items.length - 1).length + 1;
  return items.flatMap(({ tokens, task, checked, loose }, at) => {
    const mark = ordered ? `${Number(start || 1) + at}.`.padStart(last) : "•";
    const box = task ? (checked ? "☒ " : "☐ ") : "";
    const inner = tokens
      .filter(({ type }) => type !== "checkbox")
      .flatMap((token, index) => [
        ...(loose && index > 0 && token.type !== "space" ? [""] : []),
        ...(token.type === "space" ? [] : block(token, style, width - mark.length - 1)),
      ]);
    const [first = "", ...rest] = inner;
    const indent = " ".repeat(mark.length + 1);
    return [
      `${paint(style, "dim", mark)} ${box}${first}`,
      ...rest.map((line) => (line === "" ? "" : `${indent}${line}`)),
      ...(loose && at < items.length - 1 ? [""] : []),
    ];
  });
}

function table({ header, rows: body, align }: Tokens.Table, style: Style, width: number): string[] {
  const all = [header, ...body].map((row) => row.map(({ tokens }) => spansOf(tokens)));
  const natural = header.map((_, column) => Math.max(1, ...all.map((row) => lengthOf(row[column] ?? []))));
  const room = width - 3 * (header.length - 1);
  if (width < NARROW_TABLE || room < header.length * 6) return tableAsList(all, style, width);
  const widths = fitted(natural, room);
  const line = (cells: readonly (readonly Span[])[], isHead: boolean): string[] => {
    const wrapped = cells.map((cell, column) =>
      wrapSpans(
        isHead ? cell.map((span) => ({ ...span, inks: [...(span.inks ?? []), "bold" as const] })) : cell,
        widths[column]!,
      ),
    );
    const height = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, row) =>
      wrapped
        .map((cell, column) => padded(cell[row] ?? [], widths[column]!, align[column] ?? null, style))
        .join(` ${paint(style, "dim", "│")} `)
        .trimEnd(),
    );
  };
  const rule = paint(style, "dim", widths.map((columns) => "─".repeat(columns)).join("─┼─"));
  return [...line(all[0]!, true), rule, ...all.slice(1).flatMap((row) => line(row, false))];
}

/** The widest columns give up space first. */
function fitted(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural];
  while (widths.reduce((sum, one) => sum + one, 0) > room) widths[widths.indexOf(Math.max(...widths))]! -= 1;
  return widths;
}

function padded(row: readonly Span[], width: number, align: string | null, style: Style): string {
  const left = width - lengthOf(row);
  const before = align === "right" ? left : align === "center" ? left >> 1 : 0;
  return `${" ".repeat(Math.max(0, before))}${paintSpans(row, style)}${" ".repeat(Math.max(0, left - before))}`;
}

function tableAsList(all: readonly (readonly (readonly Span[])[])[], style: Style, width: number): string[] {
  const [head = [], ...body] = all;
  return body.flatMap((row, at) => [
    ...(at > 0 ? [""] : []),
    ...row.flatMap((cell, column) =>
      rows(
        [...(head[column] ?? []).map((span) => ({ ...span, inks: ["bold" as const] })), { text: ": " }, ...cell],
        style,
        width,
      ),
    ),
  ]);
}

const lengthOf = (spans: readonly Span[]): number => columnAfter(spans.map(({ text }) => text).join(""), 0);

/** The inline parts of a block. */
function spansOf(tokens: readonly Token[], inks: NonNullable<Span["inks"]> = []): Span[] {
  return tokens.flatMap((token): Span[] => {
    const inner = (more: NonNullable<Span["inks"]>) =>
      spansOf("tokens" in token && token.tokens ? token.tokens : [], [...inks, ...more]);
    switch (token.type) {
      case "strong":
        return inner(["bold"]);
      case "em":
        return inner(["italic"]);
      case "del":
        return inner(["strike"]);
      case "codespan":
        return [{ text: (token as Tokens.Codespan).text, inks: [...inks, "cyan"] }];
      case "br":
        return [{ text: "\n" }];
      case "link":
        return link(token as Tokens.Link, inks);
      case "image":
        return [
          {
            text: `[${(token as Tokens.Image).text || "image"}] (${(token as Tokens.Image).href})`,
            inks: [...inks, "dim"],
          },
        ];
      case "checkbox":
        return [];
      default:
        return "tokens" in token && token.tokens
          ? inner([])
          : [{ text: "text" in token ? String(token.text) : token.raw, inks }];
    }
  });
}

/** The target is always shown: the words of a link may say something else. */
function link({ href, tokens, text }: Tokens.Link, inks: NonNullable<Span["inks"]>): Span[] {
  const isWeb = /^https?:\/\/[\x21-\x7e]+$/.test(href);
  const words = spansOf(tokens, [...inks, "underline"]).map((span) => (isWeb ? { ...span, url: href } : span));
  return text === href || `mailto:${text}` === href
    ? words
    : [...words, { text: ` (${href})`, inks: [...inks, "dim"] }];
}

/**
 * The position up to which Markdown that is still being written is complete: after its last blank line outside of code
 * and lists. Text before it never changes its look.
 */
export function completeUpTo(text: string): number {
  let end = 0;
  let at = 0;
  const tokens = marked.lexer(text);
  // A list goes on after blanks, so only a block shows that the one before has ended.
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  tokens.forEach((token, index) => {
    at += token.raw.length;
    if (index < last) end = at;
  });
  // The parser has replaced something, so its positions are not those of the text.
  return at === text.length ? end : 0;
}

/** The position at which a text that is longer is cut: after a line or a word, at the latest after so many characters. */
export function partOf(text: string, most: number): number {
  if (text.length <= most) return 0;
  const start = text.slice(0, most);
  const end = ["\n", " "].map((mark) => start.lastIndexOf(mark) + 1).find((at) => at > most / 2);
  // Both halves of a character stay together.
  return end ?? (/[\ud800-\udbff]$/.test(start) ? most - 1 : most);
}

/** The line that opens the block of code with which a text begins, if it does. */
export const openFence = (text: string): string => /^\s*((?:`{3,}|~{3,})[^\n]*\n)/.exec(text)?.[1] ?? "";
