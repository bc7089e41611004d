import { type Broker, type Form, type FormField, formChoices, formDefaults, formProblem } from "@haft/core/approval";
import { ask } from "@haft/core/tool";
import type { McpManagerOptions } from "@haft/mcp";
import type { RunHooks } from "@haft/plugins/hook";

type Elicit = NonNullable<McpManagerOptions["elicit"]>;
type Question = Parameters<Elicit>[1];
type Page = Extract<Question, { mode: "url" }>;
type Given = NonNullable<Awaited<ReturnType<Elicit>>["content"]>;

/** Most times that a form is shown until it is valid. A person who still answers wrongly is not reading it. */
const MOST_TRIES = 3;

/**
 * Passes a server's question to the people who answer approvals. A yes with an input is the filled form. A yes without one
 * takes the form's defaults, if they cover all required fields. An invalid form is asked again, with its errors.
 */
export function elicitThrough(broker: Broker): Elicit {
  return async (server, question, signal, call) => {
    if (question.mode === "url") return visitThrough(broker, server, question, signal, call);
    const form = question.requestedSchema as Form;
    const reason = `The MCP server "${server}" asks for input.`;
    let wrong = "";
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const outcome = await broker.ask(
        {
          callId: call ?? `mcp-question-${server}`,
          agent: { id: "main" },
          tool: `mcp__${server}`,
          title: `Question from the MCP server "${server}"`,
          input: formDefaults(form),
          form,
          effects: [{ ...ask(), basis: "claimed" }],
          show: { kind: "group", title: question.message, items: [{ kind: "table", ...formTable(form) }] },
          why: `${wrong}${reason} Your answer goes to the server; never give it a password.`,
          destructive: false,
          suggestions: [],
        },
        { decision: "ask", reason, trace: [], suggestions: [], grant: { effects: [], holes: [] } },
        signal,
      );
      if (outcome.status !== "answered") return { action: "cancel" };
      const { answer } = outcome;
      if (answer.behavior === "deny") return { action: "decline" };
      const content = answer.input ?? formDefaults(form);
      const problem = formProblem(form, content);
      if (problem === undefined) return { action: "accept", content: content as Given };
      wrong = `The answer was not sent: ${problem}. Fill in the form and say yes. `;
    }
    return { action: "decline" };
  };
}

/**
 * Asks a person to open a server's page, for data that must not pass through Haft: a payment, a login elsewhere. Nobody
 * checks the page before. The person sees its host, and a yes says that they have opened it.
 */
async function visitThrough(
  broker: Broker,
  server: string,
  { url, message }: Page,
  signal: AbortSignal,
  call?: string,
) {
  const page = URL.parse(url);
  const isLocal = page?.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(page.hostname);
  // A user name in the URL would imitate a host, or log in somebody else.
  if (!page || (page.protocol !== "https:" && !isLocal) || page.username || page.password)
    return { action: "decline" as const };
  const reason = `The MCP server "${server}" asks you to open a page at ${page.host}.`;
  const outcome = await broker.ask(
    {
      callId: call ?? `mcp-page-${server}`,
      agent: { id: "main" },
      tool: `mcp__${server}`,
      title: `Open a page at ${page.host} for the MCP server "${server}"`,
      input: { url: page.href },
      page: page.href,
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

function formTable({ properties, required = [] }: Form) {
  const rows = Object.entries(properties).map(([name, field]) => {
    const { title, description, type, default: proposed } = field;
    const about = [
      [title, description].filter((part) => part !== undefined).join(": "),
      choicesText(field),
      limitsText(field),
      proposed === undefined ? "" : `${JSON.stringify(proposed)} by default`,
    ];
    return [
      name,
      type ?? "",
      required.includes(name) ? "required" : "",
      about.filter((part) => part !== "").join("; "),
    ];
  });
  return { columns: ["field", "type", "", "meaning"], rows };
}

function choicesText(field: FormField): string {
  const choices = formChoices(field)?.map(({ value, title }) => (title === value ? value : `${value} (${title})`));
  return choices ? `${field.type === "array" ? "any" : "one"} of ${choices.join(", ")}` : "";
}

/** The constraints of a value, so that nobody has to learn them from a refusal. */
function limitsText({ type, format, ...field }: FormField): string {
  const [least, most, what] =
    type === "array"
      ? [field.minItems, field.maxItems, " of them"]
      : type === "string"
        ? [field.minLength, field.maxLength, " characters"]
        : [field.minimum, field.maximum, ""];
  const limits = [
    ...(least === undefined ? [] : [`at least ${least}`]),
    ...(most === undefined ? [] : [`at most ${most}`]),
  ].join(", ");
  return [...(format === undefined ? [] : [format]), ...(limits === "" ? [] : [`${limits}${what}`])].join("; ");
}

/** The same, with the hooks around it: one may decline for the person, before the question or after the answer. */
export const hookedElicit =
  (elicit: Elicit, runHooks: RunHooks): Elicit =>
  async (server, question, signal, call) => {
    const asked = await runHooks(
      "Elicitation",
      {
        ...{ mcp_server_name: server, message: question.message, mode: question.mode === "url" ? "url" : "form" },
        ...(question.mode === "url" ? { url: question.url } : { requested_schema: question.requestedSchema }),
      },
      signal,
    );
    if (asked.blocked !== undefined || asked.stop !== undefined) return { action: "decline" };
    const answer = await elicit(server, question, signal, call);
    const heard = await runHooks("ElicitationResult", { mcp_server_name: server, ...answer }, signal);
    return heard.blocked !== undefined || heard.stop !== undefined ? { action: "decline" } : answer;
  };
