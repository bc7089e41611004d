import { readFile } from "node:fs/promises";
import type { Behavior } from "@haft/core/policy";
import { parseSettings } from "@haft/core/policy/settings";
import { nearest } from "@haft/core/schema";
import { createHost } from "@haft/host/process";
import { type Exported, type ExportTarget, exportRules, exportTargets, type RulesToExport } from "@haft/policy-tools";
import { builtinTools } from "@haft/tools";
import JSON5 from "json5";
import { createLineExplainer } from "../../../app/explain/explain-line.ts";
import { projectRoot, real } from "../../../app/workspace.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

/**
 * `haft policy export AGENT FILE`: prints the rules of a Haft settings file as another agent's settings, and on standard
 * error how each rule came out. `--leave-denies` exports although a deny cannot be said there.
 */
export const exportPolicy: Command = async (args) => {
  const { common, own, words } = readOptions(args, { "leave-denies": "boolean" }, 2);
  const [name, file] = words;
  const target = Object.hasOwn(exportTargets, name ?? "") ? (name as ExportTarget) : unknownTarget(name);
  if (file === undefined)
    throw new UsageError("Which settings?", `Usage: haft policy export ${target} .haft/settings.json.`);
  const rules = await rulesOf(file);
  const root = projectRoot(real(common.cwd));
  const host = createHost({ cwd: root });
  let exported: Exported;
  try {
    const explainer = createLineExplainer({ host, tools: await builtinTools(), root });
    const decide = async (command: string): Promise<Behavior> => {
      const line = { tool: "Bash", input: { command }, rules, ruleSource: "project", trusted: true, projectRoot: root };
      const { decision } = (await explainer.explain(JSON.stringify(line), 1)) as { decision: Behavior };
      return decision;
    };
    exported = await exportRules(target, rules, decide, { leaveDenies: own["leave-denies"] === true });
  } finally {
    await host.close();
  }
  const terminal = processTerminal();
  if (common.json) await terminal.print(`${JSON.stringify({ file: exportTargets[target].file, ...exported })}\n`);
  else {
    const about = ({ rule, behavior }: Exported["notes"][number]) => (rule === "" ? "" : `${behavior} ${rule}: `);
    terminal.tell(exported.notes.map((note) => `${oneLine(`${note.loss}: ${about(note)}${note.message}`)}\n`).join(""));
    if (exported.text !== undefined) await terminal.print(exported.text);
  }
  if (exported.text === undefined) {
    terminal.tell("Refused: a deny rule would be lost. Add --leave-denies to export the rest.\n");
    return EXIT.failed;
  }
  terminal.tell(`Put this into ${exportTargets[target].file}.\n`);
  return EXIT.ok;
};

function unknownTarget(name: string | undefined): never {
  const names = Object.keys(exportTargets);
  const close = name === undefined ? undefined : nearest(name, names);
  throw new UsageError(
    name === undefined ? "For which agent?" : `Rules cannot be exported to "${name}".`,
    close ? `Did you mean ${close}?` : `Usage: haft policy export ${names.join("|")} FILE.`,
  );
}

/** The rules of a Haft settings file. One that Haft would refuse is refused here too. */
async function rulesOf(file: string): Promise<RulesToExport> {
  let settings: unknown;
  try {
    settings = JSON5.parse(await readFile(file, "utf8"));
  } catch (thrown) {
    throw new UsageError(`${oneLine(file)} cannot be read: ${(thrown as Error).message}`, "Name a Haft settings file.");
  }
  const { problems } = parseSettings(settings, { origin: "project", file });
  const worst = problems.find(({ severity }) => severity === "error");
  if (worst) throw new UsageError(oneLine(`${file}: ${worst.message}`), "Run haft policy lint.");
  const { permissions = {} } = settings as { permissions?: Partial<RulesToExport> };
  return { allow: permissions.allow ?? [], ask: permissions.ask ?? [], deny: permissions.deny ?? [] };
}
