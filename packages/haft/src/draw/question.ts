import { type ApprovalRequest, askedBy, questionHead, questionParts, strongestFirst } from "@haft/core/approval";
import { startedWithin } from "@haft/core/policy";
import type { AgentColor, Display, Effect } from "@haft/core/tool";
import { drawDisplay } from "./display.ts";
import { effectLine } from "./effect-line.ts";
import { withShownPaths } from "./place.ts";
import { ruleLine } from "./rule-line.ts";
import { oneLine } from "./sanitize.ts";
import { type Ink, paint, type Style, wrapped } from "./style.ts";

/** From this many lines on, the first ones may be out of sight when the question is read. */
const LONG = 16;

/** The prefix of each line from the call, so that none can be mistaken for a line of Haft's own. */
const SAID = "  │ ";

/** Empty lines have the mark too, so that the text is one block. */
const barred = (block: string): string => block.replaceAll(/^(?=.)/gm, SAID).replaceAll(/^$/gm, SAID.trimEnd());

/** A question for people who read line after line: after a long one, its subject is repeated. */
export function drawQuestion(request: ApprovalRequest, style: Style): string {
  const shown = drawWholeQuestion(request, style);
  const lines = shown.split("\n").length;
  if (lines <= LONG) return shown;
  const [head, ...warning] = subjectLines(request, style);
  const again = [`${head} ${paint(style, "dim", `(${lines} lines, from "?" above)`)}`, ...warning];
  return `${shown}\n${wrapped(again.join("\n"), style.width)}`;
}

/** The warning about a destructive call. */
export const DESTRUCTIVE = "This deletes, overwrites or sends.";

/** The subject of a question, with the warning about it. */
export function subjectLines(request: ApprovalRequest, style: Style): readonly string[] {
  const { tool, destructive } = request;
  const about = questionHead(request);
  const rest = about.startsWith(`${tool} `) ? about.slice(tool.length) : `: ${about}`;
  const head = `${paint(style, "yellow", "?")} ${paint(style, "bold", oneLine(tool))}${oneLine(rest)}`;
  return [head, ...(destructive ? [paint(style, "red", `! ${DESTRUCTIVE}`)] : [])];
}

/**
 * Shows the effects in full, the agent, and the reason for the question: people cannot agree to effects that they
 * cannot see.
 */
export function drawWholeQuestion(request: ApprovalRequest, style: Style): string {
  const { title, summary, why, agent, rule } = request;
  // Content of the title line, or of a separate command, is not repeated.
  const parts = questionParts(request);
  const about = questionHead(request);
  const [head = "", ...warning] = subjectLines(request, style);
  const inner = { ...style, width: style.width - SAID.length };
  // The model's description proves nothing, so it is shown below the effects.
  const isSaid = about !== title && !about.startsWith(title.replace(/…$/, ""));
  const said = [...(isSaid ? [title] : []), ...(summary && summary !== title ? [summary] : [])];
  const asker = askedBy(request);
  const who = asker && oneLine(asker);
  const question = [
    head,
    ...(who === undefined ? [] : [`  asked by ${agent.color ? paint(style, INKS[agent.color], who) : who}`]),
    ...warning,
    ...parts.filter((part) => !isTitle(part, about)).map((part) => barred(drawDisplay(part, inner, true))),
    ...unshownEffects(request).map((effect) => `  - ${effectLine(effect, style)}`),
    ...said.map((words) => paint(style, "dim", `  described as: ${oneLine(words)}`)),
    ...originLines(request).map((line) => `  ${line}`),
    `  why: ${oneLine(withShownPaths(style, why))}`,
    ...ruleLine(rule, why),
  ];
  return wrapped(question.join("\n"), style.width);
}

/** The effects that the command or diff of a question does not show, the strongest first. */
export function unshownEffects(request: ApprovalRequest): readonly Effect[] {
  const parts = questionParts(request);
  const commands = parts.flatMap((part) => (part.kind === "terminal" ? [part.command] : []));
  const isShown = (effect: Effect) =>
    effect.do === "run" ? commands.includes(effect.text) && !startedWithin(effect) : isInDiff(effect, parts);
  return strongestFirst(request.effects).filter((effect) => !isShown(effect));
}

/** The values of a call that come from strangers. */
export const originLines = ({ origins = [] }: ApprovalRequest): readonly string[] =>
  origins.map(({ field, value, source }) => `from ${oneLine(source)}: ${oneLine(field)} = ${oneLine(value)}`);

/** A diff already shows that its file is read and written. */
const isInDiff = (effect: Effect, parts: readonly Display[]): boolean =>
  (effect.do === "read" || (effect.do === "write" && effect.change !== "delete")) &&
  !effect.tree &&
  effect.basis !== "claimed" &&
  (effect.as === undefined || effect.as === effect.path) &&
  parts.some((part) => part.kind === "diff" && part.path === effect.path);

const INKS: Readonly<Record<AgentColor, Ink>> = {
  ...{ red: "red", green: "green", blue: "blue", yellow: "yellow", cyan: "cyan" },
  ...{ purple: "magenta", pink: "magenta", orange: "yellow" },
};

/** A command that the title line shows completely. */
const isTitle = (part: Display, title: string): boolean =>
  part.kind === "terminal" && part.text === "" && part.command === title && oneLine(title) === title;
