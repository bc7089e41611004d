import JSON5 from "json5";
import { z } from "zod";

const behavior = z.enum(["allow", "ask", "deny"]);
const texts = z.array(z.string());

/** Replaces settings and machine; the same keys as in a line of `haft explain --jsonl`. */
const place = {
  rules: z.strictObject({ allow: texts.optional(), ask: texts.optional(), deny: texts.optional() }).optional(),
  ruleSource: z.string().optional(),
  mode: z.string().optional(),
  trusted: z.boolean().optional(),
  projectRoot: z.string().optional(),
  startedIn: z.string().optional(),
  cwd: z.string().optional(),
  home: z.string().optional(),
  platform: z.string().optional(),
  additionalDirectories: texts.optional(),
};

/** A call. A text is a Bash command. */
const call = z.union([z.string(), z.strictObject({ tool: z.string(), input: z.unknown().optional() })]);

const caseFile = z.strictObject({
  ...place,
  cases: z
    .array(
      z.strictObject({
        ...place,
        tool: z.string(),
        input: z.unknown().optional(),
        expect: behavior,
        note: z.string().optional(),
      }),
    )
    .optional(),
  tests: z
    .array(
      z.strictObject({
        rule: z.string(),
        as: behavior.optional(),
        match: z.array(call).optional(),
        not_match: z.array(call).optional(),
      }),
    )
    .optional(),
});

/** Cases with their expected decisions, and tests of single rules. */
export type CaseFile = z.infer<typeof caseFile>;

/** Reads a case file (JSON5) strictly. Returns all problems if it is invalid. */
export function readCaseFile(text: string): CaseFile | { readonly problems: readonly string[] } {
  let value: unknown;
  try {
    value = JSON5.parse(text);
  } catch (thrown) {
    return { problems: [`This is not JSON5: ${(thrown as Error).message.replace(/^JSON5: /, "")}.`] };
  }
  const read = caseFile.safeParse(value);
  if (!read.success)
    return { problems: read.error.issues.map(({ path, message }) => `${placeText(path)}: ${message}.`) };
  const { cases = [], tests = [] } = read.data;
  // A file without tests would always pass.
  if (cases.length + tests.length === 0) return { problems: ['There is nothing to test: give "cases" or "tests".'] };
  return read.data;
}

const placeText = (path: readonly PropertyKey[]): string =>
  path.length === 0
    ? "The file"
    : path
        .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
        .join("")
        .replace(/^\./, "");
