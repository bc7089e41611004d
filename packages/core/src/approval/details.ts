import type { Display, Effect } from "../tool/index.ts";
import type { Receipt } from "./answer.ts";
import {
  answerFor,
  applicableOutcomes,
  type ConfirmationOutcome,
  type ConfirmationPayload,
  confirmationKind,
} from "./confirmation.ts";
import type { Answer, ApprovalRequest } from "./request.ts";
import { commandOf } from "./strength.ts";

/** A file before and after the change. */
export interface FileConfirmation {
  readonly fileName: string;
  readonly filePath: string;
  /** A unified diff; empty if the content cannot be known beforehand. */
  readonly fileDiff: string;
  readonly originalContent: string;
  readonly newContent: string;
}

interface OfAnyKind {
  readonly title: string;
  readonly summary?: string;
  readonly content: Display;
  readonly tool: string;
  readonly agentId: string;
  /** The reason for asking; if a rule asks, with its place. */
  readonly why: string;
  readonly destructive: boolean;
  /** The outcomes that a dialog may offer, each with the rules that it would keep, word for word. */
  readonly outcomes: readonly { readonly outcome: ConfirmationOutcome; readonly keeps: readonly string[] }[];
}

/** The content of a dialog, by the kind of the call. Plain data, derived from effects and display: no tool is known by name. */
export type ConfirmationDetails = OfAnyKind &
  (
    | { readonly kind: "edit"; readonly files: readonly FileConfirmation[] }
    /** `commands`: every simple command in it, as it would run. */
    | { readonly kind: "execute"; readonly command: string; readonly commands: readonly string[] }
    | {
        readonly kind: "mcp";
        readonly serverName: string;
        readonly toolName: string;
        readonly arguments: unknown;
      }
    | { readonly kind: "info"; readonly prompt: string; readonly urls: readonly string[] }
  );

/** A question in the form that a dialog needs. */
export function confirmationDetails(request: ApprovalRequest): ConfirmationDetails {
  const { title, summary, show, tool, agent, destructive } = request;
  const common: OfAnyKind = {
    title,
    ...(summary === undefined ? {} : { summary }),
    content: show,
    tool,
    agentId: agent.id,
    why: whyOf(request),
    destructive,
    outcomes: applicableOutcomes(request).map((outcome) => ({ outcome, keeps: keptBy(outcome, request) })),
  };
  const { effects, input } = request;
  switch (confirmationKind(request)) {
    case "mcp": {
      const call = effects.find((effect) => effect.do === "call");
      return {
        ...common,
        kind: "mcp",
        serverName: call?.server ?? "",
        toolName: call?.tool ?? tool,
        arguments: input,
      };
    }
    case "execute": {
      const commands = effects.flatMap((effect) => (effect.do === "run" ? [effect.text] : []));
      return { ...common, kind: "execute", command: commandOf(show) ?? commands.join("\n"), commands };
    }
    case "edit":
      return { ...common, kind: "edit", files: filesOf(show, effects) };
    default: {
      const urls = effects.flatMap((effect) => (effect.do === "connect" ? [effect.url ?? effect.host] : []));
      return { ...common, kind: "info", prompt: summary ?? title, urls };
    }
  }
}

/** A dialog's question together with its answer. */
export interface Confirmation {
  readonly details: ConfirmationDetails;
  /**
   * Passes on the person's choice. The first accepted one counts; a later one has no effect, as its receipt reports.
   *
   * @throws HaftError `invalid_input` for an outcome that the question does not offer; the question can still be
   *   answered then.
   */
  onConfirm(outcome: string, payload?: ConfirmationPayload): Receipt;
}

/** For hosts that draw their own dialog: its content, and the callback. `give` receives the answer (`haft.answer`). */
export function confirmationOf(request: ApprovalRequest, give: (id: string, answer: Answer) => Receipt): Confirmation {
  let isDone = false;
  return {
    details: confirmationDetails(request),
    onConfirm(outcome, payload) {
      if (isDone)
        return {
          accepted: false,
          reason: "already_settled",
          message: "This question was already answered; this answer was ignored.",
        };
      const receipt = give(request.id, answerFor(outcome, request, payload));
      isDone = receipt.accepted;
      return receipt;
    },
  };
}

function whyOf({ why, rule }: ApprovalRequest): string {
  if (!rule?.file || why.includes(rule.file)) return why;
  const place = `${rule.file}${rule.line === undefined ? "" : `:${rule.line}`}`;
  return `${why} (${rule.behavior} ${rule.rule}, ${place})`;
}

function keptBy(outcome: ConfirmationOutcome, request: ApprovalRequest): readonly string[] {
  if (outcome === "modify_with_editor") return [];
  const answer = answerFor(outcome, request);
  return answer.behavior === "allow" ? (answer.remember?.rules ?? []) : [];
}

function filesOf(show: Display, effects: readonly Effect[]): readonly FileConfirmation[] {
  const diffs = show.kind === "group" ? show.items : [show];
  const shown = diffs.flatMap((display) =>
    display.kind === "diff"
      ? [file(display.path, { fileDiff: display.unified, originalContent: display.before, newContent: display.after })]
      : [],
  );
  if (shown.length > 0) return shown;
  return effects.flatMap((effect) => (effect.do === "write" ? [file(effect.path)] : []));
}

const file = (filePath: string, content: Partial<FileConfirmation> = {}): FileConfirmation => ({
  fileName: filePath.slice(filePath.lastIndexOf("/") + 1),
  filePath,
  fileDiff: "",
  originalContent: "",
  newContent: "",
  ...content,
});
