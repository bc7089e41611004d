import type { Answer, ApprovalRequest } from "@haft/core/approval";
import type { CallerRequest, Display } from "@haft/core/tool";
import type { Reply } from "./talk.ts";

/** Characters of what a call would do that a form shows: people read it in a dialog. */
const SHOWN_CHARS = 4_000;

/** An approval as a form that a client can put to its person. Grants hold for this client and this session only. */
export function approvalForm(request: ApprovalRequest): CallerRequest {
  const whole = displayText(request.show);
  const cut = whole.length > SHOWN_CHARS ? `\n[${whole.length - SHOWN_CHARS} more characters are not shown]` : "";
  const shown = whole.slice(0, SHOWN_CHARS) + cut;
  const lines = [
    `Allow ${request.title}?`,
    ...(shown.trim() === "" ? [] : ["", shown]),
    "",
    `Asked because: ${request.why}`,
  ];
  const choices = [
    { const: "allow", title: "Allow once" },
    ...lasting(request).map(({ label }, index) => ({ const: `allow-${index}`, title: `Allow from now on: ${label}` })),
    { const: "deny", title: "Deny" },
  ];
  return {
    method: "elicitation/create",
    params: {
      message: lines.join("\n"),
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

/** What the form came back with. Anything but a clear yes is no yes; `undefined`: nobody has answered. */
export function approvalAnswer(request: ApprovalRequest, { action, content }: Reply): Answer | undefined {
  if (action === "decline") return { behavior: "deny" };
  if (action !== "accept" || typeof content !== "object" || content === null) return undefined;
  const { decision, message } = content as Readonly<Record<string, unknown>>;
  const said = typeof message === "string" && message.trim() !== "" ? { message } : {};
  if (decision === "deny") return { behavior: "deny", ...said };
  if (decision === "allow") return { behavior: "allow", ...said };
  const remember = lasting(request).find((_, index) => decision === `allow-${index}`);
  return remember ? { behavior: "allow", remember, ...said } : undefined;
}

const lasting = ({ suggestions }: ApprovalRequest) => suggestions.filter(({ scope }) => scope === "session");

/** A display as plain text. */
function displayText(display: Display): string {
  switch (display.kind) {
    case "text":
    case "markdown":
      return display.text;
    case "terminal":
      return display.command === undefined ? display.text : `$ ${display.command}\n${display.text}`;
    case "diff":
      return display.unified;
    case "group":
      return [display.title, ...display.items.map(displayText)].join("\n");
    case "table":
      return display.rows.map((row) => row.join("  ")).join("\n");
    default:
      return JSON.stringify(display, null, 2);
  }
}
