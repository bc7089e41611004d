import { accessSync, constants, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { mergeSettings } from "@haft/core/policy/settings";
import type { Processes } from "@haft/core/tool";
import { grouped } from "@haft/core/tool";
import { createRipgrep } from "@haft/host";
import { createHost } from "@haft/host/process";
import type { CopyCost } from "@haft/journal";
import { createCapture, variantsOf } from "@haft/journal/capture";
import { probeTier } from "@haft/sandbox";
import { stateFolder, trustStore } from "@haft/service";
import { defaultModel, MODEL_CURE } from "../../agent/index.ts";
import { journalOf } from "../../app/journal/open-journal.ts";
import { readSettingsFiles } from "../../app/settings/settings-files.ts";
import { settingsProblemsText } from "../../app/settings/settings-problems.ts";
import { projectRoot, real } from "../../app/workspace.ts";
import type { CommonOptions } from "../options.ts";
import type { Finding } from "./finding.ts";
import { webFindings } from "./web-report.ts";

/** Milliseconds that a program may take to print its version. */
const PATIENCE = 5_000;

/** Inspects this machine by trying, not by guessing from versions. Changes nothing but creating the state folder. */
export async function inspect(common: CommonOptions): Promise<Finding[]> {
  const cwd = real(common.cwd);
  const home = real(homedir());
  const host = createHost({ cwd, home });
  try {
    const { processes } = host.ports;
    return [
      { name: "node", status: "ok", detail: process.version },
      modelFinding(configuredModel(common, cwd, home)),
      await ripgrep(processes, cwd),
      await program(
        processes,
        cwd,
        "bash",
        "bash --version",
        "broken",
        "Install bash; the Bash tool cannot run without it.",
      ),
      await program(
        processes,
        cwd,
        "git",
        "git --version",
        "missing",
        "Install git; without it, ignore rules still work, but the repository's state is unknown.",
      ),
      await sandbox(common, cwd, home),
      await undoFinding(common, cwd, home),
      stateFinding(home),
      trustFinding(cwd, home),
      ...settingsFindings(common, cwd, home),
      ...webFindings(mergeSettings(readSettings(common, cwd, home), { trusted: false }).settings, process.env),
    ];
  } finally {
    await host.close();
  }
}

async function firstLine(processes: Processes, cwd: string, command: string): Promise<string | undefined> {
  const outcome = await processes.run({ command, cwd, timeoutMs: PATIENCE }).catch(() => undefined);
  return outcome?.exitCode === 0 ? outcome.output.split("\n", 1)[0] : undefined;
}

async function program(
  processes: Processes,
  cwd: string,
  name: string,
  command: string,
  otherwise: Finding["status"],
  cure: string,
): Promise<Finding> {
  const version = await firstLine(processes, cwd, command);
  if (version === undefined) return { name, status: otherwise, detail: "not found", cure };
  return { name, status: "ok", detail: version };
}

async function ripgrep(processes: Processes, cwd: string): Promise<Finding> {
  const name = "ripgrep";
  const path = await createRipgrep({ workspace: cwd })();
  const cure =
    "Install ripgrep, or reinstall haft with its optional dependencies; until then Grep and Glob are slower.";
  if (path === undefined) return { name, status: "missing", detail: "not found; the built-in walker is used", cure };
  const version = await firstLine(processes, cwd, `'${path.replaceAll("'", "'\\''")}' --version`);
  if (version === undefined) return { name, status: "missing", detail: `${path} does not start`, cure };
  return { name, status: "ok", detail: `${version} at ${path}` };
}

/** Tries exactly what a command would do: the kernel may forbid an installed sandbox. */
async function sandbox(common: CommonOptions, cwd: string, home: string): Promise<Finding> {
  const name = "sandbox";
  const srt = readSettings(common, cwd, home).some(({ settings }) => settings?.sandbox?.tier === "srt");
  const { tier, tiers } = await probeTier({ workspaces: [cwd], home, srt });
  const found = tiers.find((candidate) => candidate.name === (srt ? "srt" : tier));
  if (srt && !found?.works) {
    const cure = "Until then every command is refused: the settings require sandbox.tier srt.";
    return { name, status: "broken", detail: `srt does not work: ${found?.reason}`, cure };
  }
  if (tier === "none" || !found) {
    const cure = "Install bubblewrap. Until then an approved command has all your rights.";
    return { name, status: "missing", detail: "no sandbox works on this machine", cure };
  }
  const whose = srt
    ? "all commands run in it"
    : "read-only commands run in it; all commands with sandbox.tier auto or bwrap";
  return { name, status: "ok", detail: `${found.name} works: ${whose}`, limits: found.cannot };
}

const ALL_KEPT = "Undo covers all their changes.";

/** The cost of the copy of the workspace, in words. */
function costText(cost: CopyCost | undefined): string {
  if (cost === undefined) return "It cannot be copied.";
  const { entries, bytes, isMade, isTooBig, sharesBlocks } = cost;
  if (isTooBig) return `It has more than ${grouped(entries)} entries, too many to copy: undo covers less.`;
  const size = `${grouped(entries)} ${entries === 1 ? "entry" : "entries"}, ${grouped(bytes)} bytes`;
  const room = sharesBlocks ? "it shares disk blocks with the workspace" : "it takes as much space as the workspace";
  const when = isMade ? `exists (${size})` : `will be made by the first command (${size})`;
  return `A copy ${when}; ${room}; each later command is compared with it.`;
}

/** Whether commands are captured; tries to create a view as a command would get one. */
async function undoFinding(common: CommonOptions, cwd: string, home: string): Promise<Finding> {
  const name = "undo";
  const settings = readSettings(common, cwd, home).find(({ settings }) => settings?.journal?.enabled === false);
  if (process.env.HAFT_JOURNAL === "off" || settings)
    return {
      ...{ name, status: "missing", detail: "undo is off: the journal is disabled" },
      cure: "Remove HAFT_JOURNAL=off, or journal.enabled: false from the settings.",
    };
  const forced = readSettings(common, cwd, home).findLast(({ settings }) => settings?.journal?.tier)?.settings?.journal
    ?.tier;
  const capture = createCapture(forced === undefined ? {} : { variants: variantsOf(forced) });
  const journal = journalOf(stateFolder(home), cwd, { capture });
  try {
    const why = journal.whyNoView();
    const tier = journal.tier();
    if (tier === "view")
      return {
        name,
        status: "ok",
        detail: `tier view: commands run in a copy-on-write view of the workspace. ${ALL_KEPT}`,
      };
    const cost = costText(await journal.copyCost());
    if (tier === "clone")
      return {
        name,
        status: "ok",
        detail: `tier clone: commands run in a copy of the workspace, one after the other. ${ALL_KEPT} ${cost}`,
      };
    const detail = `tier direct: commands run in the workspace itself. ${cost} ${why ?? ""}`.trim();
    const cure =
      forced === "direct"
        ? "Dry runs and mode undoable need views or copies: remove the setting."
        : "Dry runs and mode undoable need views or copies, which need mount namespaces (user namespaces or root) and a workspace that is no mount.";
    return { name, status: "missing", detail, cure };
  } catch (thrown) {
    return {
      name,
      status: "missing",
      detail: `${journal.path}: ${(thrown as Error).message}`,
      cure: /^(?:ENOSPC|EDQUOT)$/.test((thrown as NodeJS.ErrnoException).code ?? "")
        ? "Make room there."
        : "Make it writable.",
    };
  } finally {
    await journal.close();
  }
}

function stateFinding(home: string): Finding {
  const { root } = stateFolder(home);
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    accessSync(root, constants.W_OK);
    return { name: "state", status: "ok", detail: root };
  } catch (thrown) {
    const cure = "Make it writable, or set HAFT_STATE_DIR to a folder that is.";
    return { name: "state", status: "broken", detail: `${root}: ${(thrown as Error).message}`, cure };
  }
}

function trustFinding(cwd: string, home: string): Finding {
  if (trustStore(stateFolder(home)).isTrusted(cwd)) return { name: "trust", status: "ok", detail: `${cwd} is trusted` };
  const cure = "Run haft trust if you know who wrote these settings.";
  return {
    name: "trust",
    status: "missing",
    detail: `${cwd} is not trusted: its settings can forbid more, not allow more`,
    cure,
  };
}

const readSettings = (common: CommonOptions, cwd: string, home: string) =>
  readSettingsFiles({
    root: projectRoot(cwd),
    home,
    ...(common.withoutUserSettings ? { withoutUser: true } : {}),
    ...(common.settings === undefined ? {} : { extra: common.settings }),
  });

function settingsFindings(common: CommonOptions, cwd: string, home: string): Finding[] {
  const layers = readSettings(common, cwd, home);
  if (layers.length === 0) return [{ name: "settings", status: "ok", detail: "no settings files: defaults apply" }];
  return layers.map(({ origin, file, problems }) => {
    const errors = problems.filter(({ severity }) => severity === "error");
    if (errors.length === 0) return { name: "settings", status: "ok", detail: `${origin}: ${file}` };
    const cure = "Correct the file; until then nothing runs without asking.";
    return { name: "settings", status: "broken", detail: settingsProblemsText(errors), cure };
  });
}

function configuredModel(common: CommonOptions, cwd: string, home: string): string | undefined {
  const trusted = common.trust || trustStore(stateFolder(home)).isTrusted(cwd);
  return mergeSettings(readSettings(common, cwd, home), { trusted }).settings.model;
}

/** The model that `haft` would use here, found in the same way. */
function modelFinding(configured: string | undefined): Finding {
  const named = process.env.HAFT_MODEL ? "HAFT_MODEL" : "the settings";
  const model = process.env.HAFT_MODEL || configured;
  if (model !== undefined) return { name: "model", status: "ok", detail: `${model}, from ${named}` };
  const chosen = defaultModel(process.env);
  if (chosen) return { name: "model", status: "ok", detail: `${chosen.model}, because ${chosen.because} is set` };
  return { name: "model", status: "missing", detail: "none configured; tools work without one", cure: MODEL_CURE };
}
