import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { type Answer, type ApprovalRequest, commandOf, visible } from "@haft/core/approval";
import { contentOf, kindOf, locationsOf } from "./tool-call.ts";

/**
 * The question for an approval. Editors show only the tool call, so everything that the person has to see stands in it: the
 * whole command or diff, and why Haft asks.
 */
export function permissionRequest(sessionId: string, request: ApprovalRequest): RequestPermissionRequest {
  const commands = request.effects.flatMap((effect) => (effect.do === "run" ? [effect.text] : []));
  const whole = commands.length > 0 && commandOf(request.show) === undefined ? commands.join("\n") : undefined;
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
        ...contentOf(request.show),
        ...(whole === undefined ? [] : contentOf({ kind: "terminal", text: "", command: visible(whole) })),
        ...contentOf({ kind: "markdown", text: visible(whyOf(request)) }),
      ],
    },
    options: optionsOf(request),
  };
}

function whyOf({ why, rule, agent }: ApprovalRequest): string {
  const place = rule?.file === undefined ? "" : ` (${rule.file}${rule.line === undefined ? "" : `:${rule.line}`})`;
  const who = agent.parent === undefined ? "" : `Agent ${agent.id}. `;
  return `${who}Asked because: ${why}${place}`;
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
