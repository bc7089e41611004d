import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createHost } from "@haft/host/process";
import { type CaseAnswer, type CaseReport, type CaseRequest, readCaseFile, runCases } from "@haft/policy-tools";
import { builtinTools } from "@haft/tools";
import { createLineExplainer } from "../../../app/explain/explain-line.ts";
import { projectRoot, real } from "../../../app/workspace.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { modeOf } from "../../mode.ts";
import { openHaft } from "../../open-haft.ts";
import { type CommonOptions, readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

const FORM =
  'A case file: {cases: [{tool: "Bash", input: {command: "ls"}, expect: "allow"}], tests: [{rule: "Bash(ls *)", match: ["ls -l"], not_match: ["lsof"]}]}.';

/** `haft policy test FILE`: tests calls against expected decisions, and single rules. */
export const test: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const [name] = words;
  if (name === undefined) throw new UsageError("Which file?", "Usage: haft policy test FILE.");
  const text = await readFile(resolve(name), "utf8").catch((thrown: Error) => {
    throw new UsageError(`${name} cannot be read: ${thrown.message}.`, "Name a JSON5 file with cases.");
  });
  const file = readCaseFile(text);
  if ("problems" in file)
    throw new UsageError(`${name}:\n${file.problems.map((problem) => `  ${problem}`).join("\n")}`, FORM);

  await using explainer = await openExplainer(common);
  const report = await runCases(file, explainer.explain);
  const terminal = processTerminal();
  await terminal.print(common.json ? `${JSON.stringify(report)}\n` : reportText(report));
  return report.failures.length > 0 ? EXIT.failed : EXIT.ok;
};

function reportText({ passed, failures }: CaseReport): string {
  const lines = failures.flatMap(({ at, call, expected, got, reason, rule, note }) => [
    `failed ${at}: ${call}`,
    `  expected ${expected}, got ${got}: ${reason}`,
    ...(rule === undefined ? [] : [`  rule: ${rule}`]),
    ...(note === undefined ? [] : [`  note: ${note}`]),
  ]);
  return `${[...lines.map(oneLine), `${passed} passed, ${failures.length} failed.`].join("\n")}\n`;
}

interface Explainer extends AsyncDisposable {
  explain(request: CaseRequest): Promise<CaseAnswer>;
}

/** A case with its own rules is independent; without, the settings in force decide. */
async function openExplainer(common: CommonOptions): Promise<Explainer> {
  const cwd = real(common.cwd);
  const host = createHost({ cwd });
  const mode = modeOf(common.mode);
  const { allow, ask, deny } = common;
  const lines = createLineExplainer({
    host,
    tools: await builtinTools(),
    rules: { allow, ask, deny },
    root: projectRoot(cwd),
    ...(mode ? { mode } : {}),
  });
  let haft: ReturnType<typeof openHaft> | undefined;
  return {
    async explain(request) {
      if (request.rules !== undefined) return lines.explain(JSON.stringify(request), 1);
      haft ??= openHaft(common, { lookOnly: true });
      const { decision, error } = await (await haft).explain(request.tool, request.input);
      return { decision: "deny", ...decision, ...(error ? { error } : {}) };
    },
    async [Symbol.asyncDispose]() {
      await host.close();
      // An error in the settings has already been reported.
      const opened = await haft?.catch(() => undefined);
      await opened?.[Symbol.asyncDispose]();
    },
  };
}
