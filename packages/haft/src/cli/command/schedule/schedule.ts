import { nearest } from "@haft/core/schema";
import { contentsText } from "@haft/core/tool";
import { oneLine, visible } from "../../../draw/sanitize.ts";
import { openSession, quietSdk } from "../../../session/index.ts";
import { runSchedules } from "../../../session/schedule/index.ts";
import { attendedAsker } from "../../approval/attended-asker.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { haftOptions } from "../../open-haft.ts";
import { type CommonOptions, readOptions } from "../../options.ts";
import { onInterrupt } from "../../terminal/interrupt.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { wishedModel } from "../agent/model-choice.ts";

const ACTIONS = ["add", "list", "status", "run", "pause", "resume", "remove"] as const;
const OPTIONS = { name: "string", zone: "string", deadline: "string", yes: "boolean", model: "string" } as const;

/** `haft schedule add|list|status|run|pause|resume|remove`: prompts that run at given times. */
export const schedule: Command = async (args) => {
  const { common, own, words } = readOptions(args, OPTIONS, 3);
  const [name = "list", first, second] = words;
  const action = ACTIONS.find((one) => one === name);
  if (!action) {
    const close = nearest(name, ACTIONS);
    throw new UsageError(
      `There is no "schedule ${name}".`,
      close ? `Did you mean schedule ${close}?` : `Use ${ACTIONS.join(", ")}.`,
    );
  }
  if (action === "run" && first === undefined) return host(common, own.model);
  if (action === "add" && (first === undefined || second === undefined))
    throw new UsageError("Give the times and the prompt.", 'haft schedule add "0 3 * * *" "PROMPT"');
  if (action !== "add" && action !== "list" && first === undefined)
    throw new UsageError("Which schedule?", "haft schedule list has the ids.");
  const minutes = own.deadline === undefined ? undefined : Number(own.deadline);
  const input =
    action === "add"
      ? {
          ...{ action, expression: first, prompt: second },
          ...(own.name === undefined ? {} : { name: own.name }),
          ...(own.zone === undefined ? {} : { zone: own.zone }),
          ...(minutes === undefined ? {} : { deadline_minutes: minutes }),
        }
      : { action, ...(first === undefined ? {} : { id: first }) };
  return through(common, own.model, input, own.yes === true || action !== "add");
};

/** Every action is a call of the tool, so a person approves a schedule in one way only. */
async function through(
  common: CommonOptions,
  model: string | undefined,
  input: { readonly action: string },
  isYes: boolean,
): Promise<number> {
  const terminal = processTerminal();
  const wanted = wishedModel(model === undefined ? {} : { model });
  quietSdk();
  const ask = isYes ? async () => ({ behavior: "allow" }) as const : attendedAsker(terminal);
  await using session = await openSession({
    ...(await haftOptions(common, { ask, withoutServers: input.action !== "add" })),
    ...(wanted === undefined ? {} : { model: wanted }),
  });
  if (input.action === "add" && !common.json) terminal.tell("Rehearsing: no changes are made.\n");
  const { error, output, content } = await session.haft.call("cron", input);
  if (error) {
    terminal.tell(`haft: ${visible(error.message)}${error.hint ? ` ${visible(error.hint)}` : ""}\n`);
    return error.code === "denied_by_user"
      ? EXIT.denied
      : error.code === "needs_approval"
        ? EXIT.needsApproval
        : EXIT.failed;
  }
  await terminal.print(common.json ? `${JSON.stringify(output)}\n` : `${visible(contentsText(content))}\n`);
  return EXIT.ok;
}

/** Runs the schedules of the user until Ctrl-C. */
async function host(common: CommonOptions, model: string | undefined): Promise<number> {
  const terminal = processTerminal();
  const wanted = wishedModel(model === undefined ? {} : { model });
  quietSdk();
  using interrupt = onInterrupt();
  terminal.tell("haft schedule: running the schedules of this user; Ctrl-C ends it.\n");
  await runSchedules({
    signal: interrupt.signal,
    ...(wanted === undefined ? {} : { model: wanted }),
    onEnd({ id, name }, { status, text = "", open = [], session }) {
      const data = { schedule: id, status, text, open, session };
      const words = `${id}${name === undefined ? "" : ` "${oneLine(name)}"`}: ${status}${open.length > 0 ? `; open: ${open.map(oneLine).join("; ")}` : ""}`;
      void terminal.print(common.json ? `${JSON.stringify(data)}\n` : `${words}\n`);
    },
  });
  return EXIT.ok;
}
