import type { Conversion, Input } from "./table.ts";

/** The description of Edit without its list of edits. */
export const EDIT = "Replaces a passage of a text file.";

// Conversions that several families share.

const LINE = { type: "integer", minimum: 1 } as const;

/** First and last line instead of an offset and a count. */
export const lineRange = (first: string, last: string): Conversion => ({
  ours: ["offset", "limit"],
  theirs: {
    [first]: { ...LINE, description: "The first line to read, from 1." },
    [last]: { ...LINE, description: "The last line to read, inclusive." },
  },
  toOurs({ [first]: from, [last]: to }) {
    if (typeof to !== "number") return { offset: from };
    const start = typeof from === "number" ? from : 1;
    return { offset: from, limit: Math.max(1, to - start + 1) };
  },
  says: { offset: first, limit: last },
});

/** A time in seconds instead of milliseconds. */
export const seconds = (theirs: string, ours = "timeout"): Conversion => ({
  ours: [ours],
  theirs: { [theirs]: { type: "number", exclusiveMinimum: 0, description: "Timeout in seconds." } },
  toOurs: ({ [theirs]: value }) =>
    typeof value === "number" ? { [ours]: Math.round(value * 1_000) } : { [ours]: value },
  says: { [ours]: theirs },
});

/** A parameter with one fixed value that the family does not name. */
export const fixed = (ours: string, value: unknown): Conversion => ({
  ours: [ours],
  theirs: {},
  toOurs: () => ({ [ours]: value }),
});

/** A switch with the opposite meaning. `otherwise`: Haft's value where the family's is absent. */
export const negated = (theirs: string, ours: string, description: string, otherwise?: boolean): Conversion => ({
  ours: [ours],
  theirs: { [theirs]: { type: "boolean", description } },
  toOurs: ({ [theirs]: value = otherwise }) => ({ [ours]: typeof value === "boolean" ? !value : value }),
});

/** A list of objects under other names. */
export const list = (
  theirs: string,
  ours: string,
  { fields, item, description }: { fields: Readonly<Record<string, string>>; item: object; description: string },
  more: Conversion["theirs"] = {},
): Conversion => ({
  ours: [ours],
  theirs: { [theirs]: { type: "array", minItems: 1, items: item, description }, ...more },
  required: [theirs],
  toOurs: ({ [theirs]: value }) => ({
    [ours]: Array.isArray(value) ? value.map((one) => renamedItem(fields, one)) : value,
  }),
  says: { [ours]: theirs },
});

/** `fields`: the family's name to Haft's; further keys stay. */
const renamedItem = (fields: Readonly<Record<string, string>>, one: unknown): unknown =>
  typeof one === "object" && one !== null && !Array.isArray(one)
    ? Object.fromEntries(Object.entries(one as Input).map(([key, value]) => [fields[key] ?? key, value]))
    : one;

/** The short title of an agent, which some families do not send: the beginning of its task. */
export const titleFrom = (prompt: string): Conversion => ({
  ours: ["description"],
  theirs: {},
  toOurs: ({ [prompt]: task }) =>
    typeof task === "string" && task.trim() !== ""
      ? { description: task.trim().split(/\s+/).slice(0, 5).join(" ").slice(0, 200) }
      : {},
});
