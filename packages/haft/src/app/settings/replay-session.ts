import { createPolicy, hasErrors, type Mode, modes, type RuleSource } from "@haft/core/policy";
import { mergeSettings } from "@haft/core/policy/settings";
import { fail } from "@haft/core/tool";
import { type PolicyReplay, replayPolicy } from "@haft/policy-tools";
import { surveysFor } from "@haft/sandbox/system-folders";
import { type LogEntry, type StateFolder, trustStore } from "@haft/service";
import type { RuleTexts } from "../haft.ts";
import { projectRoot, workspaceOf } from "../workspace.ts";
import { readSettingsFiles } from "./settings-files.ts";
import { settingsProblemsText } from "./settings-problems.ts";

/** The rules under which a session is decided again, in addition to those of the settings. */
export interface ReplayRules extends RuleTexts {
  readonly mode?: Mode;
  /** One more settings file. */
  readonly settings?: string;
  readonly withoutUser?: boolean;
  readonly trusted?: boolean;
  /** The folder of the session, if its record does not name it. */
  readonly cwd: string;
  readonly home: string;
}

/**
 * Decides every call of a record again, under the present settings and these rules.
 *
 * @throws HaftError `validation_failed` for settings or a rule with an error.
 */
export function replaySession(entries: readonly LogEntry[], state: StateFolder, rules: ReplayRules): PolicyReplay {
  const { home } = rules;
  const start = entries.find(({ t }) => t === "session");
  const cwd = typeof start?.cwd === "string" ? start.cwd : rules.cwd;
  const trusted = rules.trusted === true || trustStore(state).isTrusted(cwd);
  const layers = readSettingsFiles({
    root: projectRoot(cwd),
    home,
    ...(rules.withoutUser === undefined ? {} : { withoutUser: rules.withoutUser }),
    ...(rules.settings === undefined ? {} : { extra: rules.settings }),
  });
  const { settings, rules: written, problems } = mergeSettings(layers, { trusted });
  if (hasErrors(problems)) fail("validation_failed", settingsProblemsText(problems));
  const policy = createPolicy({
    rules: [...sourcesOf(rules), ...written],
    mode: rules.mode ?? recordedMode(start) ?? settings.defaultMode ?? "default",
    workspace: workspaceOf(cwd, home, settings, []),
    trusted,
    keepsReaders: surveysFor,
  });
  const [broken] = policy.problems.filter(({ severity }) => severity === "error");
  if (broken) fail("validation_failed", `${broken.rule}: ${broken.message}`, broken.cure);
  return replayPolicy(entries, policy, settings);
}

const sourcesOf = (rules: RuleTexts): RuleSource[] =>
  (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    (rules[behavior] ?? []).map((text): RuleSource => ({ behavior, origin: "cli", text })),
  );

/** The mode is not part of the rules: by default, use the mode in which the session ran. */
const recordedMode = (start: LogEntry | undefined): Mode | undefined => modes.find((mode) => mode === start?.mode);
