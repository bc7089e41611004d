import {
  type Answer,
  type ApprovalRequest,
  askedBy,
  type Form,
  questionHead,
  questionParts,
} from "@haft/core/approval";
import type { CallerRequest, Display } from "@haft/core/tool";
import { visible } from "../../draw/sanitize.ts";
import type { Reply } from "./client-questions.ts";

/** Maximum characters shown of the call's effects, from the beginning and the end: people read the form in a dialog. */
const SHOWN_HEAD = 3_000;
const SHOWN_TAIL = 1_000;

/**
 * An approval as a form for the client's person, or as a page that the client can open. Grants apply to this client and
 * this session only.
 */
export function approvalForm(request: ApprovalRequest, opensPages = false): CallerRequest {
  const shown = abridged(questionParts(request).map(displayText).join("\n"));
  // Clients show this to a person unchanged: nothing in it may hide text or contain terminal sequences.
  const title = questionHead(request).replaceAll("\n", " ");
  const described = title === request.title ? [] : [`Described as: ${request.title.replaceAll("\n", " ")}`];
  // The client knows that a call of its own comes from itself.
  const who = request.agent.path && askedBy(request);
  const message = visible(
    [
      request.form || request.page !== undefined ? title : `Allow ${title}?`,
      ...(shown.trim() === "" ? [] : ["", shown]),
      "",
      `${who === undefined ? "" : `Asked by ${who}. `}Asked because: ${request.why.replaceAll("\n", " ")}`,
      ...described,
    ].join("\n"),
  );
  if (opensPages && request.page !== undefined)
    return {
      method: "elicitation/create",
      params: { mode: "url", message, url: request.page, elicitationId: request.id },
    };
  if (request.form)
    return { method: "elicitation/create", params: { message, requestedSchema: readable(spokenForm(request.form)) } };
  const choices = [
    { const: "allow", title: "Allow once" },
    ...lasting(request).map(({ label }, index) => ({
      const: `allow-${index}`,
      title: visible(label),
    })),
    { const: "deny", title: "Deny" },
  ];
  return {
    method: "elicitation/create",
    params: {
      message,
      requestedSchema: {
        type: "object",
        properties: {
          decision: { type: "string", title: "Decision", oneOf: choices },
          message: { type: "string", title: "Message", description: "For the model: why, or what to do instead." },
        },
        required: ["decision"],
      },
    },
  };
}

/** The reply to the question. Anything but a clear yes counts as no; `undefined`: nobody answered. */
export function approvalAnswer(
  request: ApprovalRequest,
  { action, content }: Reply,
  opensPages = false,
): Answer | undefined {
  if (action === "decline") return { behavior: "deny" };
  if (opensPages && request.page !== undefined) return action === "accept" ? { behavior: "allow" } : undefined;
  if (action !== "accept" || typeof content !== "object" || content === null) return undefined;
  if (request.form) return { behavior: "allow", input: withOwnWords(request.form, content) };
  const { decision, message } = content as Readonly<Record<string, unknown>>;
  const said = typeof message === "string" && message.trim() !== "" ? { message } : {};
  if (decision === "deny") return { behavior: "deny", ...said };
  if (decision === "allow") return { behavior: "allow", ...said };
  const remember = lasting(request).find((_, index) => decision === `allow-${index}`);
  return remember ? { behavior: "allow", remember, ...said } : undefined;
}

/** The protocol has choices but no suggested choices: free text gets its own field. */
const spokenForm = (form: Form): Form => ({
  ...form,
  properties: Object.fromEntries(
    Object.entries(form.properties).flatMap(([name, { other, ...field }]) => [
      [name, field],
      ...(other ? [[ownWords(name), { type: "string", title: "Or in your own words" }] as const] : []),
    ]),
  ),
  required: (form.required ?? []).filter((name) => !form.properties[name]?.other),
});

const ownWords = (name: string): string => `${name} (own words)`;

/** Moves free text to the answer of its question. */
function withOwnWords({ properties }: Form, content: object): object {
  const said = content as Readonly<Record<string, unknown>>;
  const open = Object.entries(properties).filter(([, { other }]) => other);
  const own = open.flatMap(([name, { type }]) => {
    const words = said[ownWords(name)];
    if (typeof words !== "string" || words.trim() === "") return [];
    const chosen = said[name];
    return [[name, type === "array" ? [...(Array.isArray(chosen) ? chosen : []), words] : words] as const];
  });
  const fields = new Set(open.map(([name]) => ownWords(name)));
  return Object.fromEntries([...Object.entries(said).filter(([name]) => !fields.has(name)), ...own]);
}

/** A form from an external source without hidden characters in its text; the possible answers stay unchanged. */
function readable(form: Form): Form {
  const words = new Set(["title", "description"]);
  return JSON.parse(JSON.stringify(form), (key, value: unknown) =>
    words.has(key) && typeof value === "string" ? visible(value) : value,
  ) as Form;
}

const lasting = ({ suggestions }: ApprovalRequest) => suggestions.filter(({ scope }) => scope === "session");

function abridged(text: string): string {
  const left = text.length - SHOWN_HEAD - SHOWN_TAIL;
  if (left <= 0) return text;
  const head = text.slice(0, SHOWN_HEAD).toWellFormed();
  return `${head}\n[${left} more characters are not shown]\n${text.slice(-SHOWN_TAIL).toWellFormed()}`;
}

/** A display as plain text. */
function displayText(display: Display): string {
  switch (display.kind) {
    case "text":
    case "markdown":
      return display.text;
    case "terminal":
      return display.command === undefined ? display.text : `$ ${display.command}\n${display.text}`;
    case "diff":
      return `${display.path}  +${display.added} -${display.removed}\n${hunksOf(display.unified).trimEnd()}`;
    case "group":
      return [display.title, ...display.items.map(displayText)].join("\n");
    case "table":
      return display.rows.map((row) => row.join("  ")).join("\n");
    default:
      return JSON.stringify(display, null, 2);
  }
}

/** A unified diff without the lines before its first hunk, which only repeat the file name. */
const hunksOf = (unified: string): string => unified.slice(Math.max(unified.search(/^@@ /m), 0));
