import type { Registry } from "@haft/core/registry";
import { typedCommand } from "../../session/index.ts";
import type { Typed } from "./pasted-texts.ts";

/** A line that a person typed at the prompt. */
export type TypedLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "command"; readonly name: string; readonly rest: string }
  | { readonly kind: "call"; readonly tool: string; readonly input: unknown; readonly approved?: "user" }
  | { readonly kind: "call"; readonly tool: string; readonly json: string }
  | { readonly kind: "remote-prompt"; readonly command: string; readonly rest: string }
  | { readonly kind: "prompt"; readonly text: string };

/**
 * Pasted text goes to the model, whatever it looks like. `!command` is a shell call, `/word` a command of the prompt,
 * `/mcp__server__prompt` a prompt of an MCP server, `Tool {...}` a call; anything else goes to the model.
 */
export function readTypedLine(typed: Typed, registry: Pick<Registry, "get">): TypedLine {
  const text = typed.text.trim();
  if (text === "") return { kind: "nothing" };
  if (typed.beginsPasted) return { kind: "prompt", text };
  if (text.startsWith("!"))
    return { kind: "call", tool: "Bash", input: { command: text.slice(1).trim() }, approved: "user" };
  const [, remote, rest] = /^\/(mcp__\S+)\s*(.*)$/s.exec(text) ?? [];
  if (remote !== undefined) return { kind: "remote-prompt", command: remote, rest: rest ?? "" };
  const command = typedCommand(text);
  if (command) return { kind: "command", name: command.name, rest: command.args };
  const [, tool, json] = /^([A-Za-z_][\w-]*)\s*(\{.*\})$/s.exec(text) ?? [];
  if (tool === undefined || json === undefined) return { kind: "prompt", text };
  try {
    return { kind: "call", tool, input: JSON.parse(json) };
  } catch {
    // A tool name before broken JSON is a call with a typing error, and the pipeline reports where.
    return registry.get(tool) ? { kind: "call", tool, json } : { kind: "prompt", text };
  }
}
