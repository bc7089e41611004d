import type { Answer, Receipt } from "@haft/core/approval";
import type { Suggestion } from "@haft/core/policy";
import { answerRecord, endOf } from "../../../app/approval/answer.ts";
import type { FoundApproval } from "../../../app/approval/find.ts";
import { isWaiting, readRecord } from "../../../app/approval/record.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readInput } from "../../json-text.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { approvalNamed } from "./named.ts";

/** Milliseconds in which a waiting process takes an answer, or has already taken one. */
const TAKEN_WITHIN_MS = 2_000;

/** `haft approvals allow ID`: allows once, or with one of the question's suggestions. */
export const allow: Command = async (args) => {
  const { common, own, words } = readOptions(args, { always: "string", input: "string", message: "string" }, 1);
  const found = approvalNamed(common, words[0]);
  const remember = own.always === undefined ? undefined : suggestionOf(found, own.always);
  const input = own.input === undefined ? undefined : await inputOf(own.input);
  if (input !== undefined && !found.record.request.form) await mustFit(found.record.request.tool, input);
  return give(
    found,
    {
      behavior: "allow",
      ...(remember ? { remember } : {}),
      ...(input === undefined ? {} : { input }),
      ...(own.message === undefined ? {} : { message: own.message }),
    },
    common.json,
  );
};

/** `haft approvals deny ID`: denies. With a message, the agent continues with it; without one, its turn stops. */
export const deny: Command = async (args) => {
  const { common, own, words } = readOptions(args, { message: "string", interrupt: "boolean" }, 1);
  const found = approvalNamed(common, words[0]);
  return give(
    found,
    {
      behavior: "deny",
      ...(own.message === undefined ? {} : { message: own.message }),
      ...(own.interrupt ? { interrupt: true } : {}),
    },
    common.json,
  );
};

async function inputOf(text: string): Promise<unknown> {
  const typed = await readInput(text);
  if ("input" in typed) return typed.input;
  throw new UsageError("--input is not JSON.", "Give the whole changed input as one JSON object.");
}

/**
 * Checks a changed input: an invalid one would use up the answer for a call that then fails. Tools of servers are
 * checked by the call.
 */
async function mustFit(name: string, input: unknown): Promise<void> {
  const [{ builtins }, { parse }] = await Promise.all([import("@haft/tools"), import("@haft/core/schema")]);
  const tool = await builtins.find((one) => one.name === name)?.load();
  const parsed = tool && (await parse(tool.input, input));
  if (!parsed || parsed.ok) return;
  const issues = parsed.issues.map(({ path, message }) => [...path.map(String), message].join(": "));
  throw new UsageError(
    `The changed input does not fit ${oneLine(name)}: ${oneLine(issues.join("; "))}.`,
    "The question still waits. Give the whole input; haft tools show NAME shows its schema.",
  );
}

async function give({ folder, record }: FoundApproval, answer: Answer, json: boolean): Promise<number> {
  const { id, tool, title } = record.request;
  const terminal = processTerminal();
  const receipt = answerRecord(folder, id, answer, BY);
  const end = receipt.accepted ? await taking(folder, id) : receipt;
  if (json) await terminal.print(`${JSON.stringify({ id, ...end })}\n`);
  else if (!end.accepted) terminal.tell(`${oneLine(end.message)}\n`);
  else {
    const verb = answer.behavior === "allow" ? "Allowed" : "Refused";
    const kept = answer.behavior === "allow" && answer.remember ? answer.remember : undefined;
    await terminal.print(
      `${[
        `${verb} ${oneLine(tool)}: ${oneLine(title)}`,
        ...(answer.behavior === "allow" && answer.input !== undefined
          ? [`  with the input changed to ${oneLine(JSON.stringify(answer.input))}`]
          : []),
        ...(kept ? [`  always (${kept.scope}): ${oneLine(kept.rules.join(", "))}`] : []),
        ...(end.state === "kept"
          ? ["  Nobody waits for it now. The answer applies when the same call is made again."]
          : []),
      ].join("\n")}\n`,
    );
  }
  return end.accepted ? EXIT.ok : EXIT.failed;
}

/** The name of the answerer in the session's record. */
const BY = "haft approvals";

type End = (Receipt & { readonly accepted: true; readonly state: "taken" | "kept" }) | (Receipt & { accepted: false });

/** The result of an answer: taken by the waiting process, too late, or kept because no process waits. */
async function taking(folder: string, id: string): Promise<End> {
  const until = Date.now() + TAKEN_WITHIN_MS;
  for (;;) {
    const record = readRecord(folder, id);
    if (typeof record !== "object") return refused(`The request "${id}" is gone.`);
    const { outcome } = record;
    if (record.state === "ended")
      return outcome?.status === "answered" && outcome.by === BY
        ? { accepted: true, state: "taken" }
        : refused(`Too late: ${endOf(record)}.`);
    if (!isWaiting(record) || Date.now() > until) return { accepted: true, state: "kept" };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const refused = (message: string): End => ({ accepted: false, reason: "already_settled", message });

/** The rules of a suggestion as `--always` takes them, if its scope alone would mean a narrower one. */
export const ruleList = ({ rules }: Suggestion): string => rules.join(", ");

function suggestionOf({ record: { request } }: FoundApproval, wanted: string): Suggestion {
  const { suggestions } = request;
  const found =
    suggestions.find(({ scope }) => scope === wanted) ?? suggestions.find((one) => ruleList(one) === wanted);
  if (found) return found;
  const offered = [...new Set(suggestions.map(({ scope }) => scope))];
  throw new UsageError(
    `This question cannot be remembered for "${wanted}".`,
    offered.length === 0 ? "It can only be allowed once." : `It offers: ${offered.join(", ")}.`,
  );
}
