import type { CaseFile } from "./case-file.ts";

/** A request to the explainer: a line of `haft explain --jsonl`. Without `rules`, the rules in force apply. */
export interface CaseRequest {
  readonly tool: string;
  readonly input: unknown;
  readonly rules?: NonNullable<CaseFile["rules"]>;
  readonly [key: string]: unknown;
}

/** The fields of an explanation that cases check. */
export interface CaseAnswer {
  readonly decision?: string;
  readonly reason?: string;
  readonly rule?: { readonly rule: string; readonly file?: string; readonly line?: number };
  readonly trace?: readonly { readonly rule?: { readonly rule: string } }[];
  readonly error?: { readonly message: string };
}

/** A case or test with an unexpected result. */
interface CaseFailure {
  /** The path, such as `cases[3]` or `tests[0].match[1]`. */
  readonly at: string;
  readonly call: string;
  readonly expected: string;
  readonly got: string;
  readonly reason: string;
  /** The deciding rule, with its place. */
  readonly rule?: string;
  readonly note?: string;
}

export interface CaseReport {
  readonly passed: number;
  readonly failures: readonly CaseFailure[];
}

/** Runs all tests of a file. Each call is only explained; nothing happens. */
export async function runCases(
  file: CaseFile,
  explain: (request: CaseRequest) => Promise<CaseAnswer>,
): Promise<CaseReport> {
  const { cases: _cases, tests: _tests, ...shared } = file;
  const failures: CaseFailure[] = [];
  let passed = 0;
  for (const { at, request, expected, note, judge } of checksOf(file)) {
    const answer = await explain({ ...shared, ...request });
    const got = judge(answer);
    // A call that could not be judged is denied, but no case expects a denial for that reason.
    if (got === undefined && !answer.error) passed++;
    else {
      const call = callText(request.tool, request.input);
      failures.push({
        at,
        call,
        expected,
        got: got ?? "error",
        ...why(answer),
        ...(note === undefined ? {} : { note }),
      });
    }
  }
  return { passed, failures };
}

interface Check {
  readonly at: string;
  readonly request: CaseRequest;
  readonly expected: string;
  readonly note?: string;
  /** The actual result, if it differs from the expected one. */
  judge(answer: CaseAnswer): string | undefined;
}

/** Tests of rules run first: cases mean little under a rule that does not match as intended. */
function checksOf({ cases = [], tests = [] }: CaseFile): Check[] {
  const ruleChecks = tests.flatMap(({ rule, as = "deny", match = [], not_match = [] }, index) =>
    (
      [
        [match, "match"],
        [not_match, "not_match"],
      ] as const
    ).flatMap(([calls, list]) =>
      calls.map((call, at): Check => {
        const { tool, input = {} } = typeof call === "string" ? { tool: "Bash", input: { command: call } } : call;
        return {
          at: `tests[${index}].${list}[${at}]`,
          request: { tool, input, rules: { [as]: [rule] } },
          expected: `${list === "match" ? "hit" : "not hit"} by ${as} ${rule}`,
          judge: (answer) =>
            hits(answer, rule, as, list) === (list === "match") ? undefined : list === "match" ? "not hit" : "hit",
        };
      }),
    ),
  );
  const caseChecks = cases.map(
    ({ expect, note, tool, input = {}, ...own }, index): Check => ({
      at: `cases[${index}]`,
      request: { ...own, tool, input } as CaseRequest,
      expected: expect,
      ...(note === undefined ? {} : { note }),
      judge: ({ decision = "deny" }) => (decision === expect ? undefined : decision),
    }),
  );
  return [...ruleChecks, ...caseChecks];
}

/** An allow rule passes even if the mode would allow the call anyway. */
function hits({ decision, trace = [] }: CaseAnswer, rule: string, as: string, list: "match" | "not_match"): boolean {
  const isInTrace = trace.some((step) => step.rule?.rule === rule);
  return as === "allow" ? decision === "allow" && (isInTrace || list === "match") : isInTrace;
}

function why({ reason, rule, error }: CaseAnswer): Pick<CaseFailure, "reason" | "rule"> {
  const place = rule?.file === undefined ? "" : ` (${rule.file}${rule.line === undefined ? "" : `:${rule.line}`})`;
  return { reason: error?.message ?? reason ?? "", ...(rule ? { rule: `${rule.rule}${place}` } : {}) };
}

function callText(tool: string, input: unknown): string {
  const command = (input as { readonly command?: unknown } | null)?.command;
  return `${tool} ${typeof command === "string" ? command : JSON.stringify(input)}`;
}
