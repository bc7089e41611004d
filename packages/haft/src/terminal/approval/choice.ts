import { type Answer, type ApprovalRequest, isRisky } from "@haft/core/approval";
import type { Suggestion } from "@haft/core/policy";
import { oneLine } from "../../draw/sanitize.ts";
import { editablePart } from "./editable.ts";

/** The meaning of a typed line; `undefined` if it has none. */
export type Choice = { readonly kind: "answer"; readonly answer: Answer } | { readonly kind: "edit" };

/** The keys of each scope, narrow rules first, with a description of the duration and place of its rules. */
const ALWAYS: Readonly<Record<Suggestion["scope"], readonly [keys: string, meaning: string]>> = {
  session: ["af", "always, this session"],
  project: ["p", "always, in this project (.haft/settings.local.json)"],
  user: ["u", "always, everywhere (your settings)"],
  tool: ["t", "always, this tool"],
  server: ["s", "always, every tool of this server"],
};

/** The keys of a question, in addition to y and n: one for each suggestion, and one for the editor. */
function keysOf(request: ApprovalRequest): Map<string, Suggestion | "edit"> {
  const keys = new Map<string, Suggestion | "edit">();
  for (const suggestion of request.suggestions) {
    const free = [...ALWAYS[suggestion.scope][0]].find((key) => !keys.has(key));
    if (free !== undefined) keys.set(free, suggestion);
  }
  if (editablePart(request)) keys.set("e", "edit");
  return keys;
}

/** Describes each key other than yes and no in one line: its effect, and the rules exactly as they would be saved. */
export const keyLines = (request: ApprovalRequest): string[] =>
  [...keysOf(request)].map(([key, means]) => {
    if (means === "edit") return `  ${key} = change it first, in an editor`;
    const covers = means.covers === undefined ? "" : ` — ${oneLine(means.covers)}`;
    return `  ${key} = ${ALWAYS[means.scope][1]}: ${oneLine(means.rules.join(", "))}${covers}`;
  });

/** The capital letter is the default for Enter: No for irreversible or unknown effects, and for the network. */
export function promptOf(request: ApprovalRequest): string {
  const [yes, no] = isRisky(request) ? ["y", "N"] : ["Y", "n"];
  return `${request.form ? "Answer" : "Allow"}? [${[yes, no, ...keysOf(request).keys()].join("/")}]`;
}

/** Parses a person's input. After `n` they may say what to do instead. */
export function choiceOf(typed: string, request: ApprovalRequest): Choice | undefined {
  const answer = (one: Answer): Choice => ({ kind: "answer", answer: one });
  const line = typed.trim();
  const lower = line.toLowerCase();
  if (line === "") return answer({ behavior: isRisky(request) ? "deny" : "allow" });
  if (lower === "y" || lower === "yes") return answer({ behavior: "allow" });
  const means = keysOf(request).get(lower);
  if (means === "edit") return { kind: "edit" };
  if (means) return answer({ behavior: "allow", remember: means });
  const [word = ""] = lower.split(/\s+/, 1);
  if (word !== "n" && word !== "no") return undefined;
  const message = line.slice(word.length).trim();
  return answer(message === "" ? { behavior: "deny" } : { behavior: "deny", message });
}

/** One way to answer a question, as a row of a dialog. */
export interface AnswerChoice {
  readonly kind: "allow" | "always" | "edit" | "deny" | "tell";
  readonly key: string;
  readonly label: string;
  readonly about?: string;
  readonly answer?: Answer;
}

/** All ways to answer a question. The rules that "always" would save stand beside it, word for word. */
export function answerChoices(request: ApprovalRequest): readonly AnswerChoice[] {
  const yes = request.form ? "Answer" : request.page === undefined ? "Yes" : "Yes, I opened it";
  const more = [...keysOf(request)].map(([key, means]): AnswerChoice => {
    if (means === "edit") return { kind: "edit", key, label: "Change it first, in an editor" };
    const covers = means.covers === undefined ? "" : ` — ${means.covers}`;
    const label = `Yes, ${ALWAYS[means.scope][1]}`;
    return {
      kind: "always",
      key,
      label,
      about: `${means.rules.join(", ")}${covers}`,
      answer: { behavior: "allow", remember: means },
    };
  });
  return [
    { kind: "allow", key: "y", label: yes, answer: { behavior: "allow" } },
    ...more,
    { kind: "tell", key: "n", label: "No, and say what to do instead" },
    { kind: "deny", key: "N", label: "No", answer: { behavior: "deny" } },
  ];
}
