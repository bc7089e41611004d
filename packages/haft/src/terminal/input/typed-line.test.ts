import { createRegistry } from "@haft/core/registry";
import { defineTool } from "@haft/core/tool";
import { expect, it } from "vitest";
import { readTypedLine, type TypedLine } from "./typed-line.ts";

const registry = createRegistry();
registry.add({ origin: "builtin", name: "haft" }, [
  defineTool({ name: "Read", description: "", input: { type: "object" }, run: () => "" }),
]);

it.each<[string, TypedLine]>([
  ["  ", { kind: "nothing" }],
  ["!ls -la ", { kind: "call", tool: "Bash", input: { command: "ls -la" }, approved: "user" }],
  ["/mode plan", { kind: "command", name: "mode", rest: "plan" }],
  ["/mcp__git__review a.ts  kindly", { kind: "remote-prompt", command: "mcp__git__review", rest: "a.ts  kindly" }],
  ["/etc/passwd holds what?", { kind: "prompt", text: "/etc/passwd holds what?" }],
  ['Read {"file_path":"a"}', { kind: "call", tool: "Read", input: { file_path: "a" } }],
  ["Raed {}", { kind: "call", tool: "Raed", input: {} }],
  ["Read {broken}", { kind: "call", tool: "Read", json: "{broken}" }],
  ["explain {this} to me", { kind: "prompt", text: "explain {this} to me" }],
  ["rewrite {this}", { kind: "prompt", text: "rewrite {this}" }],
])("%j is understood", (line, meaning) => {
  expect(readTypedLine({ text: line, beginsPasted: false }, registry)).toEqual(meaning);
});

it.each(["!rm -rf /", "/exit", 'Read {"file_path":"a"}'])("E24 %j is no command where it was pasted", (text) => {
  expect(readTypedLine({ text, beginsPasted: true }, registry)).toEqual({ kind: "prompt", text });
});
