import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { type Answer, type ApprovalRequest, askedBy, commandOf, questionParts } from "@haft/core/approval";
import type { Display } from "@haft/core/tool";
import { effectLine } from "../draw/effect-line.ts";
import { DESTRUCTIVE, originLines, unshownEffects } from "../draw/question.ts";
import { visible } from "../draw/sanitize.ts";
import { editablePart } from "../terminal/approval/editable.ts";
import { contentOf, kindOf, locationsOf } from "./tool-call.ts";

/**
 * The question for an approval. Editors show only the tool call, so everything that the person has to see stands in it: the
 * whole command or diff, the other effects, the agent, and why Haft asks.
 */
export function permissionRequest(sessionId: string, request: ApprovalRequest): RequestPermissionRequest {
  const commands = request.effects.flatMap((effect) => (effect.do === "run" ? [effect.text] : []));
  const whole = commandOf(request.show);
  const parts = questionParts(request).filter((part) => !isIn(whole, part));
  if (whole === undefined && commands.length > 0) parts.push(terminal(visible(commands.join("\n"))));
  return {
    sessionId,
    toolCall: {
      toolCallId: request.callId,
      title: visible(request.title),
      name: request.tool,
      kind: kindOf(request.effects),
      status: "pending",
      rawInput: request.input,
      locations: locationsOf(request.effects, request.show),
      content: [
        ...parts.flatMap(contentOf),
        ...contentOf({ kind: "text", text: visible(notesOf(request).join("\n")) }),
        ...contentOf({ kind: "markdown", text: visible(whyOf(request)) }),
      ],
    },
    options: optionsOf(request),
  };
}

const terminal = (command: string): Display => ({ kind: "terminal", text: "", command });

/** A part of a command that the whole one shows. */
const isIn = (whole: string | undefined, part: Display): boolean =>
  part.kind === "terminal" &&
  part.text === "" &&
  part.command !== undefined &&
  part.command !== whole &&
  whole?.includes(part.command) === true;

/** Facts that neither the command nor the diff shows. Commands without a display have one of their own. */
const notesOf = (request: ApprovalRequest): readonly string[] => [
  ...(request.destructive ? [DESTRUCTIVE] : []),
  ...unshownEffects(request)
    .filter((effect) => effect.do !== "run" || commandOf(request.show) !== undefined)
    .map((effect) => `- ${effectLine(effect)}`),
  ...originLines(request),
];

function whyOf(request: ApprovalRequest): string {
  const { why, rule } = request;
  const place =
    rule?.file === undefined || why.includes(rule.file)
      ? ""
      : ` (${rule.file}${rule.line === undefined ? "" : `:${rule.line}`})`;
  const who = askedBy(request);
  return `${who === undefined ? "" : `Asked by ${who}. `}Asked because: ${why}${place}`;
}

/** Lasting answers that may be given in an editor. */
const lasting = (request: ApprovalRequest) => (request.personOnly ? [] : request.suggestions);

function optionsOf(request: ApprovalRequest): PermissionOption[] {
  return [
    { optionId: "allow", name: "Allow once", kind: "allow_once" },
    ...lasting(request).map(
      ({ label, rules }, index): PermissionOption => ({
        optionId: `always-${index}`,
        name: visible(rules.length === 1 && !label.includes(rules[0]!) ? `${label}: ${rules[0]}` : label),
        kind: "allow_always",
      }),
    ),
    { optionId: "deny", name: "Deny", kind: "reject_once" },
    { optionId: "stop", name: "Deny and stop", kind: "reject_once" },
    // Last, and not a yes: a client that answers by kind never chooses it.
    ...(editablePart(request)
      ? [{ optionId: "edit", name: "Edit, or deny with a comment", kind: "reject_once" } as const]
      : []),
  ];
}

/** The answer that the person chose. Anything but a clear yes is a no. */
export function answerOf(request: ApprovalRequest, { outcome }: RequestPermissionResponse): Answer {
  if (outcome.outcome !== "selected") return { behavior: "deny", interrupt: true };
  const { optionId } = outcome;
  if (optionId === "allow") return { behavior: "allow" };
  const remember = lasting(request).find((_, index) => optionId === `always-${index}`);
  if (remember) return { behavior: "allow", remember };
  return { behavior: "deny", ...(optionId === "stop" ? { interrupt: true } : {}) };
}
