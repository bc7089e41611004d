import type { RuleTest, SettingsLayer, SettingsProblem } from "@haft/core/policy";
import type { CaseFile } from "@haft/policy-tools";

/** The places to which the files' rules are relative. */
export interface TestPlace {
  readonly root: string;
  readonly home: string;
}

/**
 * Checks the rules of settings files against the tests in these files. A failed test is an error of its file: a rule that
 * differs from its author's intention protects nobody. Costs nothing if there are no tests.
 */
export async function failedRuleTests(
  layers: readonly SettingsLayer[],
  place: TestPlace,
): Promise<readonly SettingsProblem[]> {
  const tested = layers.filter(({ tests }) => tests !== undefined);
  if (tested.length === 0) return [];
  const [{ createLineExplainer }, { runCases }, { builtinTools }, { createHost }] = await Promise.all([
    import("../explain/explain-line.ts"),
    import("@haft/policy-tools"),
    import("@haft/tools"),
    import("@haft/host/process"),
  ]);
  const host = createHost({ cwd: place.root });
  try {
    const lines = createLineExplainer({ host, tools: await builtinTools(), root: place.root });
    const found: SettingsProblem[] = [];
    for (const layer of tested)
      for (const [index, test] of (layer.tests ?? []).entries()) {
        const file = caseFileOf(layer, test, place);
        const at = problemAt(layer, test, index);
        if (!file) {
          found.push(at("there is no such rule in this file", "Write the rule exactly as in allow, ask or deny."));
          continue;
        }
        const { failures } = await runCases(file, (request) => lines.explain(JSON.stringify(request), 1));
        for (const { call, expected, got } of failures)
          found.push(
            at(
              `"${call}" is expected to be ${expected.split(" by ")[0]}, and is ${got}`,
              "Correct the rule or its test.",
            ),
          );
      }
    return found;
  } finally {
    await host.close();
  }
}

function caseFileOf({ rules, file }: SettingsLayer, test: RuleTest, { root, home }: TestPlace): CaseFile | undefined {
  const found = rules.find(({ text }) => text === test.rule);
  if (!found) return undefined;
  const { rule, match = [], not_match = [] } = test;
  return {
    ...{ projectRoot: root, startedIn: root, cwd: root, home },
    ...(file.startsWith("/") ? { ruleSource: file } : {}),
    tests: [{ rule, as: found.behavior, match: [...match], not_match: [...not_match] }],
  };
}

const problemAt =
  ({ file }: SettingsLayer, { rule, line }: RuleTest, index: number) =>
  (what: string, cure: string): SettingsProblem => ({
    severity: "error",
    file,
    path: ["permissions", "tests", String(index)],
    ...(line === undefined ? {} : { line }),
    message: `The test of the rule "${rule}" fails: ${what}.`,
    cure,
  });
