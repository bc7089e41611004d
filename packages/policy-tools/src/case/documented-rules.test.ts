import { readFileSync } from "node:fs";
import { createHost } from "@haft/host/process";
import { builtinTools } from "@haft/tools";
import { expect, it } from "vitest";
import { createLineExplainer } from "../../../haft/src/app/explain/explain-line.ts";
import { type CaseFile, readCaseFile } from "./case-file.ts";
import { type CaseAnswer, runCases } from "./run-cases.ts";

const text = readFileSync(new URL("../../test/documented-rules.json5", import.meta.url), "utf8");
const strictness = ["allow", "ask", "deny"];

it("F29 agrees with the documented rules in 97 of 100 cases at least, and is nowhere looser", async () => {
  const file = readCaseFile(text) as CaseFile;
  const host = createHost({ cwd: "/", home: "/home/u" });
  const explainer = createLineExplainer({ host, tools: await builtinTools(), root: "/w" });
  const { passed, failures } = await runCases(
    file,
    (request) => explainer.explain(JSON.stringify(request), 1) as Promise<CaseAnswer>,
  );
  await host.close();
  expect(file.cases?.length).toBeGreaterThan(450);
  expect(passed + failures.length).toBe(file.cases?.length);
  expect(failures.filter(({ got, expected }) => strictness.indexOf(got) < strictness.indexOf(expected))).toEqual([]);
  expect(passed / (passed + failures.length), JSON.stringify(failures, undefined, 1)).toBeGreaterThanOrEqual(0.97);
});
