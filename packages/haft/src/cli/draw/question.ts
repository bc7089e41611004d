import { type ApprovalRequest, questionHead, strongestFirst } from "@haft/core/approval";
import { startedWithin } from "@haft/core/policy";
import type { AgentRef, Display, Effect } from "@haft/core/tool";
import { drawDisplay, indent } from "./display.ts";
import { effectLine } from "./effect-line.ts";
import { withShownPaths } from "./place.ts";
import { ruleLine } from "./rule-line.ts";
import { oneLine } from "./sanitize.ts";
import { paint, type Style, wrapped } from "./style.ts";

/** From so many lines on, the first ones may have gone out of sight when the question is read. */
const LONG = 16;

/** Stands before each line that the call brings along: nothing in it can be taken for a line of Haft's own. */
const SAID = "  │ ";

/**
 * What would happen, in full, who wants it and why it is asked: a person cannot agree to what they cannot see. After a long
 * one stands once more what it is about.
 */
export function drawQuestion(request: ApprovalRequest, style: Style): string {
  const { title, summary, tool, show, why, destructive, effects, agent, rule, origins = [] } = request;
  // What stands in the first line, or as a command of its own, is not said again.
  const parts = show.kind === "group" && show.title === title ? show.items : [show];
  const commands = parts.flatMap((part) => (part.kind === "terminal" ? [part.command] : []));
  const isShown = (effect: Effect) =>
    effect.do === "run" ? commands.includes(effect.text) && !startedWithin(effect) : isInDiff(effect, parts);
  const about = questionHead(request);
  const head = `${paint(style, "yellow", "?")} ${paint(style, "bold", oneLine(tool))}: ${oneLine(about)}`;
  const warning = destructive ? [paint(style, "red", "! This deletes, overwrites or sends.")] : [];
  // What the model calls it proves nothing: it stands below what would be done.
  const isSaid = about !== title && !about.startsWith(title.replace(/…$/, ""));
  const said = [...(isSaid ? [title] : []), ...(summary && summary !== title ? [summary] : [])];
  const question = [
    head,
    ...(agent.id === "main" ? [] : [`  asked by ${agentText(agent)}`]),
    ...warning,
    ...parts.filter((part) => !isTitle(part, about)).map((part) => indent(drawDisplay(part, style, true), SAID)),
    ...strongestFirst(effects)
      .filter((effect) => !isShown(effect))
      .map((effect) => `  - ${effectLine(effect, style)}`),
    ...said.map((words) => paint(style, "dim", `  described as: ${oneLine(words)}`)),
    ...origins.map(({ field, value, source }) => `  from ${oneLine(source)}: ${oneLine(field)} = ${oneLine(value)}`),
    `  why: ${oneLine(withShownPaths(style, why))}`,
    ...ruleLine(rule, why),
  ];
  const shown = wrapped(question.join("\n"), style.width);
  const lines = shown.split("\n").length;
  if (lines <= LONG) return shown;
  const again = [`${head} ${paint(style, "dim", `(${lines} lines, from "?" above)`)}`, ...warning];
  return `${shown}\n${wrapped(again.join("\n"), style.width)}`;
}

/** A diff says that its file is read and written. */
const isInDiff = (effect: Effect, parts: readonly Display[]): boolean =>
  (effect.do === "read" || (effect.do === "write" && effect.change !== "delete")) &&
  !effect.tree &&
  effect.basis !== "claimed" &&
  (effect.as === undefined || effect.as === effect.path) &&
  parts.some((part) => part.kind === "diff" && part.path === effect.path);

/** Which agent it is, below which others, and who does its thinking. */
const agentText = ({ id, name, path = [name ?? id], model }: AgentRef): string =>
  oneLine(`the agent ${path.join(" › ")}${path.includes(id) ? "" : ` (${id})`}${model ? `, ${model}` : ""}`);

/** A command that the first line shows to its end. */
const isTitle = (part: Display, title: string): boolean =>
  part.kind === "terminal" && part.text === "" && part.command === title && oneLine(title) === title;
