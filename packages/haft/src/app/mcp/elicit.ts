import type { Broker } from "@haft/core/approval";
import { ask } from "@haft/core/tool";
import type { McpManagerOptions } from "@haft/tools";

type Elicit = NonNullable<McpManagerOptions["elicit"]>;
type Form = Parameters<Elicit>[1];
type Given = NonNullable<Awaited<ReturnType<Elicit>>["content"]>;

/**
 * A server's question on the way to the people who answer approvals. A yes with an input is the filled form; a yes
 * without one takes the form's own defaults, if they answer everything that must be answered.
 */
export function elicitThrough(broker: Broker): Elicit {
  return async (server, form, signal) => {
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
    const content = (answer.input ?? defaultsOf(form)) as Given;
    const isComplete = (form.requestedSchema.required ?? []).every((name) => Object.hasOwn(content, name));
    return isComplete ? { action: "accept", content } : { action: "decline" };
  };
}

/** What the form proposes by itself. */
function defaultsOf({ requestedSchema }: Form): Record<string, unknown> {
  const fields = Object.entries(requestedSchema.properties as Record<string, { default?: unknown }>);
  return Object.fromEntries(
    fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]])),
  );
}

function formTable({ requestedSchema }: Form) {
  const required = new Set(requestedSchema.required);
  const rows = Object.entries(requestedSchema.properties).map(([name, field]) => {
    const { title, description, type } = field as { title?: string; description?: string; type?: string };
    const about = [title, description].filter((part) => part !== undefined).join(": ");
    return [name, type ?? "", required.has(name) ? "required" : "", about];
  });
  return { columns: ["field", "type", "", "meaning"], rows };
}
