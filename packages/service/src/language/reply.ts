import { fileURLToPath } from "node:url";
import type { LanguageDiagnostic, LanguagePlace } from "@haft/core/tool";

type Plain = Readonly<Record<string, unknown>>;

/** Most places of one answer, and levels of nested symbols. */
const MOST_PLACES = 1000;
const MOST_LEVELS = 20;
const MOST_TEXT = 20_000;
const MOST_MESSAGE = 500;

const KINDS = (
  "file module namespace package class method property field constructor enum interface function variable constant string " +
  "number boolean array object key null enum-member struct event operator type-parameter"
).split(" ");

const SEVERITIES = ["error", "warning", "information", "hint"] as const;

/** Locations, links and symbols as places, with their number. Parts that cannot be read are left out. */
export function placesOf(answer: unknown, path: string): { readonly places: LanguagePlace[]; readonly total: number } {
  const items = Array.isArray(answer) ? answer : answer === null || answer === undefined ? [] : [answer];
  const all: LanguagePlace[] = [];
  for (const item of items) addPlaces(all, asPlain(item), path, 0);
  return { places: all.slice(0, MOST_PLACES), total: all.length };
}

function addPlaces(all: LanguagePlace[], item: Plain, path: string, depth: number): void {
  // Answers about calls wrap the symbol.
  const symbol = asPlain(item.from ?? item.to ?? item);
  const location = asPlain(symbol.location ?? symbol);
  const uri = location.uri ?? location.targetUri;
  const range = asPlain(
    symbol.selectionRange ?? location.targetSelectionRange ?? location.range ?? location.targetRange ?? {},
  );
  const start = asPlain(range.start);
  const name = textOf(symbol.name);
  if (typeof uri === "string" || name !== undefined)
    all.push({
      path: typeof uri === "string" ? pathOf(uri) : path,
      ...{ line: numberOf(start.line) + 1, character: numberOf(start.character) + 1 },
      ...(name === undefined ? {} : { name }),
      ...(typeof symbol.kind === "number" ? { kind: KINDS[symbol.kind - 1] ?? "symbol" } : {}),
      ...(textOf(symbol.containerName) ? { container: textOf(symbol.containerName)! } : {}),
      ...(depth > 0 ? { depth } : {}),
    });
  if (Array.isArray(symbol.children) && depth < MOST_LEVELS)
    for (const child of symbol.children) addPlaces(all, asPlain(child), path, depth + 1);
}

/** The text of a hover. */
export function hoverText(answer: unknown): string {
  const { contents } = asPlain(answer);
  const parts = (Array.isArray(contents) ? contents : [contents]).map((part) =>
    typeof part === "string" ? part : String(asPlain(part).value ?? ""),
  );
  return parts.join("\n\n").trim().slice(0, MOST_TEXT);
}

/** The problems of a file; the worst first. */
export function diagnosticsOf(items: unknown): readonly LanguageDiagnostic[] {
  const all = (Array.isArray(items) ? items : []).map((item): LanguageDiagnostic => {
    const { range, severity, message, code } = asPlain(item);
    const start = asPlain(asPlain(range).start);
    return {
      ...{ line: numberOf(start.line) + 1, character: numberOf(start.character) + 1 },
      severity: SEVERITIES[(typeof severity === "number" ? severity : 1) - 1] ?? "error",
      message: String(message ?? "").slice(0, MOST_MESSAGE),
      ...(typeof code === "string" || typeof code === "number" ? { code: String(code) } : {}),
    };
  });
  const rank = ({ severity }: LanguageDiagnostic): number => SEVERITIES.indexOf(severity);
  return all.toSorted((a, b) => rank(a) - rank(b) || a.line - b.line).slice(0, MOST_PLACES);
}

/** The path of a file address; any other address unchanged. */
export function pathOf(uri: string): string {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : uri;
  } catch {
    return uri;
  }
}

export const asPlain = (value: unknown): Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Plain) : {};
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;
const numberOf = (value: unknown): number => (typeof value === "number" && value >= 0 ? value : 0);
