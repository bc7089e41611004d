import { type Complaint, complaintsOf } from "./complaint.ts";
import { normalise } from "./json/normalise.ts";
import { isRecord } from "./json/walk.ts";
import type { Issue, JsonSchema } from "./standard.ts";
import { pathText, quote } from "./words.ts";

/** Limit for lines about single fields; the rest is only counted. A model corrects the first ones and tries again. */
const LINES = 8;

/**
 * Explains why an input does not fit, one line for each error, so that a model can act on it: the field, the expected
 * value, the received value, the probable meaning. The words come from the schema and the input, so they do not depend
 * on the library that found the error. An error that the schema does not show keeps the library's own message.
 *
 * @param what the input's purpose, as in "tool Read"; named in a first line unless empty.
 */
export function explainIssues(issues: readonly Issue[], input: unknown, json: JsonSchema, what: string): string {
  const complaints = complaintsOf(normalise(json), input);
  const lines = new Set(issues.flatMap((issue) => linesOf(issue, complaints, input)));
  const shown = [...lines].slice(0, LINES);
  const more = lines.size - shown.length;
  return [
    ...(what === "" ? [] : [`The input of ${what} does not fit its schema:`]),
    ...shown,
    ...(more > 0 ? [`and ${more} more.`] : []),
  ].join("\n");
}

/** Explains only errors that an issue points at: a validator may accept values that the schema seems to refuse (coercion). */
function linesOf(issue: Issue, complaints: readonly Complaint[], input: unknown): string[] {
  const below = complaints.filter(({ path }) => startsWith(path, issue.path));
  const here = below.filter(({ path }) => path.length === issue.path.length);
  const fields = below.filter(({ path, about }) => path.length === issue.path.length + 1 && about !== "value");
  // A misspelt name is next to the field that is missing because of it.
  const beside = complaints.filter(
    ({ path, about }) =>
      about === "unknown" &&
      here.some((one) => one.about === "missing") &&
      path.length === issue.path.length &&
      startsWith(path, issue.path.slice(0, -1)),
  );
  const found = [...(here.length + fields.length > 0 ? [...here, ...fields] : below), ...beside];
  if (found.length > 0) return found.map(({ path, text }) => line(path, text));
  const value = valueAt(input, issue.path);
  const quoted = value === undefined || typeof value === "object" ? "" : `, received ${quote(value)}`;
  return [line(issue.path, issue.message.replace(/\.$/, "") + (issue.message.includes("received") ? "" : quoted))];
}

const line = (path: Issue["path"], text: string): string =>
  `${pathText(path)}: ${text}${/[.?!]$/.test(text) ? "" : "."}`;

const startsWith = (path: Issue["path"], start: Issue["path"]): boolean =>
  start.length <= path.length && start.every((key, index) => String(key) === String(path[index]));

function valueAt(input: unknown, path: Issue["path"]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    input,
  );
}
