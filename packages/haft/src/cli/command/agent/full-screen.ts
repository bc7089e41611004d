import { realpathSync } from "node:fs";
import { EXIT, type ExitCode, UsageError } from "../../exit-code.ts";
import type { CommonOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { wishedModel } from "./model-choice.ts";
import { type RunWish, sessionOptions } from "./session-options.ts";

/** The terminal UI. Everything that the first frame does not need is loaded after it. */
export async function fullScreen(common: CommonOptions, own: RunWish, prompt: string | undefined): Promise<ExitCode> {
  const { runTerminal } = await import("../../../terminal/index.ts");
  const cwd = realpathSync.native(common.cwd);
  const { resume: wanted, fork = false, ...more } = sessionOptions(own);
  const model = wishedModel(own);
  const choose = wanted === "";
  if (choose && (await import("../../../session/index.ts")).storedSessions({ cwd }).length === 0)
    throw new UsageError("This folder has no conversation yet.", "Leave --resume out.");
  let begin = wanted === undefined || choose ? {} : { resume: wanted, fork };
  await runTerminal({
    ...{
      cwd,
      prompt,
      choose,
      model,
      isScratch: own.scratch === true,
      flags: flagsOf(common),
      style: processTerminal(cwd).style,
    },
    canvasServer: async () => (await import("../../server-options.ts")).canvasServerOptions(common, model, cwd),
    async open({ ask, onNotice, canvas, resume }) {
      const [{ openSession, quietSdk }, { haftOptions }, { hasConversation }] = await Promise.all([
        import("../../../session/index.ts"),
        import("../../open-haft.ts"),
        import("../../../agent/index.ts"),
      ]);
      quietSdk();
      const first = resume === undefined ? begin : choose && fork ? { resume, fork } : {};
      const isGoingOn = resume !== undefined && !("resume" in first);
      // A fork happens once: a session that is chosen later goes on as itself.
      begin = {};
      return openSession({
        ...(await haftOptions(isGoingOn ? { ...common, session: resume } : common, {
          ask,
          lastOf: hasConversation,
          onNotice,
        })),
        ...more,
        ...first,
        canvas,
      });
    },
  });
  return EXIT.ok;
}

/** The options that decide which settings count, for another command of Haft. */
const flagsOf = ({ settings, trust, withoutUserSettings }: CommonOptions): readonly string[] => [
  ...(trust ? ["--trust"] : []),
  ...(settings === undefined ? [] : ["--settings", settings]),
  ...(withoutUserSettings ? ["--no-user-settings"] : []),
];
