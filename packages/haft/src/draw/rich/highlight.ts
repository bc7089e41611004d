import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { type Ink, paint, type Style } from "../style.ts";

/** Characters from which code is shown without colours: they would take too long. */
const MOST_CHARS = 100_000;

const LANGUAGES = { bash, c, cpp, css, diff, go, java, json, python, ruby, rust, sql, typescript, xml, yaml };

/** Names and file endings of languages. */
const ALIASES: Readonly<Record<string, keyof typeof LANGUAGES>> = {
  ...{ js: "typescript", mjs: "typescript", cjs: "typescript", jsx: "typescript", ts: "typescript", tsx: "typescript" },
  ...{ mts: "typescript", cts: "typescript", javascript: "typescript", sh: "bash", shell: "bash", zsh: "bash" },
  ...{ console: "bash", py: "python", rb: "ruby", rs: "rust", yml: "yaml", html: "xml", svg: "xml", vue: "xml" },
  ...{
    h: "c",
    cc: "cpp",
    hpp: "cpp",
    "c++": "cpp",
    jsonc: "json",
    json5: "json",
    patch: "diff",
    scss: "css",
    toml: "yaml",
  },
};

const INKS: Readonly<Record<string, Ink>> = {
  ...{ keyword: "keyword", built_in: "type", type: "type", literal: "literal", number: "literal", symbol: "literal" },
  ...{ string: "string", regexp: "string", addition: "green", deletion: "red", comment: "comment", doctag: "comment" },
  ...{
    title: "name",
    class: "type",
    attr: "name",
    attribute: "name",
    property: "name",
    tag: "keyword",
  },
  ...{
    name: "keyword",
    "selector-tag": "keyword",
    "selector-class": "name",
    variable: "type",
    meta: "comment",
    section: "name",
  },
};

/** A piece of code in one colour. */
export interface CodeSpan {
  readonly text: string;
  readonly ink?: Ink;
}

/** Code of a language as coloured pieces, line by line; `undefined` for a language that is not known. */
export function codeLines(code: string, language: string): readonly (readonly CodeSpan[])[] | undefined {
  const name = languageOf(language);
  if (name === undefined || code.length > MOST_CHARS) return undefined;
  // Only the first use of a language pays for it.
  if (!hljs.getLanguage(name)) hljs.registerLanguage(name, LANGUAGES[name]);
  return toLines(hljs.highlight(code, { language: name, ignoreIllegals: true }).value);
}

/** Colours code of a language, line by line. Its text must have been sanitised. */
export function highlighter(style: Style): NonNullable<Style["highlight"]> {
  return (code, language) =>
    style.color
      ? codeLines(code, language)?.map((line) =>
          line.map(({ text, ink }) => (ink ? paint(style, ink, text) : text)).join(""),
        )
      : undefined;
}

function languageOf(language: string): keyof typeof LANGUAGES | undefined {
  const name = language.toLowerCase();
  return Object.hasOwn(LANGUAGES, name) ? (name as keyof typeof LANGUAGES) : ALIASES[name];
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** The highlighter's markup as colours. A span that goes over several lines is coloured on each. */
function toLines(html: string): readonly (readonly CodeSpan[])[] {
  const open: (Ink | undefined)[] = [];
  const lines: CodeSpan[][] = [[]];
  for (const [piece, classes] of html.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (classes !== undefined) open.push(inkOf(classes));
    else if (piece === "</span>") open.pop();
    else {
      const ink = open.findLast((one) => one !== undefined);
      const text = piece.replaceAll(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity]!);
      text.split("\n").forEach((part, at) => {
        if (at > 0) lines.push([]);
        if (part !== "") lines.at(-1)!.push(ink ? { text: part, ink } : { text: part });
      });
    }
  }
  return lines;
}

const inkOf = (classes: string): Ink | undefined =>
  classes
    .split(" ")
    .map((name) => INKS[name.replace(/^hljs-/, "")])
    .find((ink) => ink !== undefined);
