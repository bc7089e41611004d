import { display, type Effect, type FileContents, fail, type RunEffect } from "../../tool/index.ts";
import type { CallRun } from "../call-run.ts";

/**
 * The files that define what the commands of a call do: approving `sh a.sh` approves the current contents of a.sh.
 * Fully analysed commands have none.
 */
export async function contentsOf({ machine, effects }: CallRun): Promise<FileContents | undefined> {
  const { contents } = machine.ports.processes;
  if (!contents || !mayRunFiles(effects)) return undefined;
  const named = effects.flatMap((effect) => (effect.do === "read" && !effect.tree ? [effect.path] : []));
  const found = await Promise.all([
    contents({ cwd: machine.cwd(), files: named }),
    ...effects.filter(isOpaque).map(({ cwd, argv }) => contents({ cwd, program: argv[0] ?? "", files: argv })),
  ]);
  return Object.assign({}, ...found);
}

/** Whether files could define what the commands of a call do. */
export const mayRunFiles = (effects: readonly Effect[]): boolean =>
  effects.some((effect) => effect.do === "unknown" || isOpaque(effect));

const isOpaque = (effect: Effect): effect is RunEffect => effect.do === "run" && effect.opaque === true;

/** Records the contents of the files that the commands of a call would run. They must be unchanged when the commands start. */
export async function sealContents(callRun: CallRun): Promise<void> {
  const contents = await contentsOf(callRun);
  if (contents && callRun.fingerprint) callRun.fingerprint = { ...callRun.fingerprint, contents };
}

const SINCE = {
  asked: ["the user was asked about this command", "the user is then asked about the current content"],
  decided: ["the decision about this command", "it is decided again"],
} as const;

/** Refuses to go on if a file has changed since a person was asked, or since a rule or a hook allowed it. */
export async function checkContents(
  callRun: CallRun,
  then: FileContents | undefined,
  since: keyof typeof SINCE,
): Promise<void> {
  if (!then) return;
  const now = (await contentsOf(callRun)) ?? {};
  const other = [...Object.keys(then), ...Object.keys(now)].find((path) => then[path] !== now[path]);
  if (other === undefined) return;
  const [moment, again] = SINCE[since];
  fail(
    "conflict",
    `${display(callRun.machine.cwd(), other)} has changed since ${moment}. The command was not started.`,
    `Call again: ${again}.`,
  );
}
