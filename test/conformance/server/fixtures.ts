/**
 * The fixtures that the official conformance suite expects on a server, as a module for `haft mcp --module`: every tool is made
 * with the public `defineTool` and runs through the whole pipeline. Each run is counted in the file that
 * `HAFT_FIXTURE_CALLS` names, so that a pass without a call shows.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, type Tool } from "haft";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";
/** Above the pipeline's own rhythm for news, so that each piece goes out alone. */
const STEP_MS = 80;

type Context = Parameters<Tool["run"]>[1];
type Listener = Parameters<typeof watch>[0];

const nothing = { type: "object", properties: {} } as const;
const text = (value: string) => ({ type: "text" as const, text: value });

export const counted = (name: string): void => {
  const file = process.env.HAFT_FIXTURE_CALLS;
  if (file) appendFileSync(file, `${name}\n`);
};

function tool(name: string, run: (ctx: Context, input: Record<string, string>) => unknown, more: object = {}): Tool {
  return defineTool({
    name,
    description: `A fixture of the conformance suite: ${name}.`,
    input: nothing,
    // They have no effects: their questions go back to the client that called.
    can: [],
    effects: () => [],
    toModel: (output) => (Array.isArray(output) ? output : [text(String(output))]),
    run: (input, ctx) => {
      counted(name);
      return run(ctx, input as Record<string, string>);
    },
    ...more,
  }) as Tool;
}

const takes = (...names: readonly string[]) => ({
  input: {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string", description: `The ${name}.` }])),
    required: names,
  },
});

type Ask = Parameters<NonNullable<Context["caller"]>["ask"]>[1];
const form = (message: string, properties: object, required = Object.keys(properties)): Ask => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties, required } },
});
const sampling = (prompt: string, maxTokens = 100): Ask => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: text(prompt) }], maxTokens },
});
const roots: Ask = { method: "roots/list" };
const name = { name: { type: "string" } };
const ok = { ok: { type: "boolean" } };

const ask = (ctx: Context, key: string, request: Ask) => {
  if (!ctx.caller) throw new Error("Nobody is there who could be asked.");
  return ctx.caller.ask(key, request);
};
const said = (answer: unknown): string => JSON.stringify(answer);
/** A tool that asks one question and says what it heard. */
const asks = (toolName: string, key: string, request: Ask, prefix = "Heard: ") =>
  tool(toolName, async (ctx) => prefix + said(await ask(ctx, key, request)));

const defaults = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};
const titled = (...titles: readonly string[]) => titles.map((title, at) => ({ const: `value${at + 1}`, title }));
const enums = {
  untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
  titledSingle: { type: "string", oneOf: titled("First Option", "Second Option", "Third Option") },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
  titledMulti: { type: "array", items: { anyOf: titled("First Choice", "Second Choice", "Third Choice") } },
};

const schema2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

const headed = {
  type: "object",
  properties: {
    region: { type: "string", description: "The region.", "x-mcp-header": "Region" },
    query: { type: "string", description: "The query." },
  },
  required: ["region", "query"],
};

const listeners = new Set<Listener>();
let isShown = false;

/** Tells of changes in what is served. */
export function watch(listener: (change: { kind: "tools" | "prompts" }) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function change(kind: "tools" | "prompts"): string {
  isShown = !isShown;
  for (const listener of listeners) listener({ kind });
  return `The ${kind} have changed.`;
}

export const isChanged = (): boolean => isShown;

const resource = (uri: string, mediaType: string, value: string) => ({ type: "resource", uri, mediaType, text: value });
const image = { type: "image", data: PNG, mediaType: "image/png" };

export const tools: readonly Tool[] = [
  tool("test_simple_text", () => "This is a simple text response for testing."),
  tool("test_image_content", () => [image]),
  tool("test_audio_content", () => [{ type: "audio", data: WAV, mediaType: "audio/wav" }]),
  tool("test_embedded_resource", () => [
    resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  ]),
  tool("test_multiple_content_types", () => [
    text("Multiple content types test:"),
    image,
    resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ]),
  tool("test_tool_with_logging", async (ctx) => {
    for (const title of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      ctx.progress({ title });
      await sleep(STEP_MS);
    }
    return "Three messages were sent.";
  }),
  tool("test_logging_tool", async (ctx) => {
    ctx.progress({ title: "Only for those who set a level" });
    await sleep(STEP_MS);
    return "One message was sent.";
  }),
  tool("test_tool_with_progress", async (ctx) => {
    for (const done of [0, 50, 100]) {
      ctx.progress({ display: { kind: "progress", text: `${done} %`, done, total: 100 } });
      await sleep(STEP_MS);
    }
    return "Progress was told three times.";
  }),
  tool("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  }),
  tool(
    "test_sampling",
    async (ctx, { prompt = "" }) => `LLM response: ${said(await ask(ctx, "answer", sampling(prompt)))}`,
    takes("prompt"),
  ),
  tool(
    "test_elicitation",
    async (ctx, { message = "" }) => {
      const about = (description: string) => ({ type: "string", description });
      const fields = { username: about("User's response"), email: about("User's email address") };
      return `User response: ${said(await ask(ctx, "user", form(message, fields)))}`;
    },
    takes("message"),
  ),
  asks(
    "test_elicitation_sep1034_defaults",
    "all",
    form("Please look at these.", defaults, []),
    "Elicitation completed: ",
  ),
  asks("test_elicitation_sep1330_enums", "all", form("Please choose.", enums, []), "Elicitation completed: "),
  tool("json_schema_2020_12_tool", () => "ok", { input: schema2020 }),
  tool("test_header_tool", (_, { region }) => `Region ${region}.`, { input: headed }),
  tool("test_missing_capability", async (ctx) => said(await ask(ctx, "answer", sampling("Anything?")))),
  tool("test_streaming_elicitation", async (ctx) => {
    ctx.progress({ title: "About to ask" });
    await sleep(STEP_MS);
    return said(await ask(ctx, "confirm", form("Go on?", ok)));
  }),
  tool("test_trigger_tool_change", () => change("tools")),
  tool("test_trigger_prompt_change", () => change("prompts")),
  tool("test_shown_now_and_then", () => "Here I am.", {
    when: () => isShown || { absent: "test_trigger_tool_change has not shown it" },
  }),
  tool("test_input_required_result_elicitation", async (ctx) => {
    const { content } = await ask(ctx, "user_name", form("What is your name?", name));
    return `Hello, ${(content as { name?: string } | undefined)?.name}!`;
  }),
  asks("test_input_required_result_sampling", "capital_question", sampling("What is the capital of France?")),
  asks("test_input_required_result_list_roots", "client_roots", roots),
  asks("test_input_required_result_request_state", "confirm", form("Please confirm", ok), "state-ok "),
  asks("test_input_required_result_tampered_state", "confirm", form("Please confirm", ok)),
  tool("test_input_required_result_multiple_inputs", async (ctx) =>
    said(
      await Promise.all([
        ask(ctx, "user_name", form("What is your name?", name)),
        ask(ctx, "greeting", sampling("Generate a greeting", 50)),
        ask(ctx, "client_roots", roots),
      ]),
    ),
  ),
  tool("test_input_required_result_multi_round", async (ctx) => {
    const first = await ask(ctx, "step1", form("Step 1: What is your name?", name));
    const color = { color: { type: "string" } };
    return said([first, await ask(ctx, "step2", form("Step 2: What is your favorite color?", color))]);
  }),
  tool("test_input_required_result_capabilities", async (ctx) => {
    const wanted: readonly [string, Ask][] = [
      ["user_name", form("What is your name?", name)],
      ["capital_question", sampling("What is the capital of France?")],
    ];
    const possible = wanted.filter(([, { method }]) => ctx.caller?.can.has(method));
    return said(await Promise.all(possible.map(([key, request]) => ask(ctx, key, request))));
  }),
];

export { complete, prompt, prompts, read, resources, templates } from "./fixtures-content.ts";
