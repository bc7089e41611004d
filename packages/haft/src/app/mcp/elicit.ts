import type { Broker } from "@haft/core/approval";
import { ask } from "@haft/core/tool";
import type { McpManagerOptions } from "@haft/tools";

type Elicit = NonNullable<McpManagerOptions["elicit"]>;
type Question = Parameters<Elicit>[1];
type Page = Extract<Question, { mode: "url" }>;
type Form = Exclude<Question, Page>;
type Given = NonNullable<Awaited<ReturnType<Elicit>>["content"]>;

/**
 * A server's question on the way to the people who answer approvals. A yes with an input is the filled form; a yes
 * without one takes the form's own defaults, if they answer everything that must be answered.
 */
export function elicitThrough(broker: Broker): Elicit {
  return async (server, question, signal) => {
    if (question.mode === "url") return visitThrough(broker, server, question, signal);
    const form = question;
    const reason = `The MCP server "${server}" asks for something while it works.`;
    const outcome = await broker.ask(
      {
        callId: `mcp-question-${server}`,
        agent: { id: "main" },
        tool: `mcp__${server}`,
        title: `Question of the MCP server "${server}"`,
        input: defaultsOf(form),
        effects: [{ ...ask(), basis: "claimed" }],
        show: { kind: "group", title: form.message, items: [{ kind: "table", ...formTable(form) }] },
        why: `${reason} What you answer goes to the server; never give it a password.`,
        destructive: false,
        suggestions: [],
      },
      { decision: "ask", reason, trace: [], suggestions: [], grant: { effects: [], holes: [] } },
      signal,
    );
    if (outcome.status !== "answered") return { action: "cancel" };
    const { answer } = outcome;
    if (answer.behavior === "deny") return { action: "decline" };
    const content = answer.input ?? defaultsOf(form);
    return fits(content, form) ? { action: "accept", content } : { action: "decline" };
  };
}

/**
 * A page that a server wants a person to open, for what must not pass through us: a payment, a login elsewhere. Nobody
 * looks at the page before; the person sees whose it is, and a yes says that they have opened it.
 */
async function visitThrough(broker: Broker, server: string, { url, message }: Page, signal: AbortSignal) {
  const page = URL.parse(url);
  const isLocal = page?.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(page.hostname);
  if (!page || (page.protocol !== "https:" && !isLocal)) return { action: "decline" as const };
  const reason = `The MCP server "${server}" asks for a page to be opened at ${page.host}.`;
  const outcome = await broker.ask(
    {
      callId: `mcp-page-${server}`,
      agent: { id: "main" },
      tool: `mcp__${server}`,
      title: `Open a page at ${page.host} for the MCP server "${server}"`,
      input: { url: page.href },
      effects: [{ ...ask(), basis: "claimed" }],
      show: { kind: "group", title: message, items: [{ kind: "text", text: page.href }] },
      why: `${reason} Open it in your browser if you trust it, then say yes.`,
      destructive: false,
      suggestions: [],
    },
    { decision: "ask", reason, trace: [], suggestions: [], grant: { effects: [], holes: [] } },
    signal,
  );
  if (outcome.status !== "answered") return { action: "cancel" as const };
  return { action: outcome.answer.behavior === "deny" ? ("decline" as const) : ("accept" as const) };
}

/** What the form proposes by itself. */
function defaultsOf({ requestedSchema }: Form): Record<string, unknown> {
  const fields = Object.entries(requestedSchema.properties as Record<string, { default?: unknown }>);
  return Object.fromEntries(
    fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]])),
  );
}

/** Whether an answer is one: complete, nothing that was not asked for, each value of its kind and among its choices. */
function fits(content: unknown, { requestedSchema }: Form): content is Given {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return false;
  const fields = requestedSchema.properties as Readonly<Record<string, Field>>;
  const isComplete = (requestedSchema.required ?? []).every((name) => Object.hasOwn(content, name));
  return (
    isComplete &&
    Object.entries(content).every(([name, value]) => Object.hasOwn(fields, name) && isOf(fields[name]!, value))
  );
}

/** A field of a form, with what of it is looked at here. */
interface Field {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string }[];
  readonly items?: { readonly enum?: readonly string[]; readonly anyOf?: readonly { readonly const: string }[] };
}

function choicesOf({ enum: plain, oneOf, items }: Field): readonly string[] | undefined {
  return plain ?? items?.enum ?? (oneOf ?? items?.anyOf)?.map((one) => one.const);
}

function isOf(field: Field, value: unknown): boolean {
  const choices = choicesOf(field);
  const isChoice = (one: unknown): boolean => typeof one === "string" && (choices?.includes(one) ?? true);
  switch (field.type) {
    case "array":
      return Array.isArray(value) && value.every(isChoice);
    case "integer":
      return Number.isInteger(value);
    case "number":
    case "boolean":
      return typeof value === field.type;
    default:
      return isChoice(value);
  }
}

function formTable({ requestedSchema }: Form) {
  const required = new Set(requestedSchema.required);
  const rows = Object.entries(requestedSchema.properties).map(([name, field]) => {
    const { title, description, type, default: proposed } = field as Field;
    const choices = choicesOf(field as Field);
    const about = [
      [title, description].filter((part) => part !== undefined).join(": "),
      choices ? `one of ${choices.join(", ")}` : "",
      proposed === undefined ? "" : `${JSON.stringify(proposed)} unless you say otherwise`,
    ];
    return [name, type ?? "", required.has(name) ? "required" : "", about.filter((part) => part !== "").join("; ")];
  });
  return { columns: ["field", "type", "", "meaning"], rows };
}
