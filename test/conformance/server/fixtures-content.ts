/** The prompts and resources that the conformance suite wants to find. */
import { counted, isChanged } from "./fixtures.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

interface Visit {
  readonly caller: {
    ask(
      key: string,
      request: { method: "elicitation/create"; params: Record<string, unknown> },
    ): Promise<Readonly<Record<string, unknown>>>;
  };
}

const user = (content: object) => ({ role: "user" as const, content });
const words = (text: string) => user({ type: "text", text });
const argument = (name: string) => ({ name, description: `The ${name}.`, required: true });

export const prompts = () => [
  { name: "test_simple_prompt", description: "A prompt without arguments." },
  { name: "test_prompt_with_arguments", description: "Two arguments.", arguments: ["arg1", "arg2"].map(argument) },
  { name: "test_prompt_with_embedded_resource", description: "A resource.", arguments: [argument("resourceUri")] },
  { name: "test_prompt_with_image", description: "A picture." },
  { name: "test_input_required_result_prompt", description: "Asks before it answers." },
  ...(isChanged() ? [{ name: "test_shown_now_and_then", description: "Comes and goes." }] : []),
];

export async function prompt(name: string, args: Readonly<Record<string, string>>, { caller }: Visit) {
  counted(name);
  switch (name) {
    case "test_simple_prompt":
      return { messages: [words("This is a simple prompt for testing.")] };
    case "test_prompt_with_arguments":
      return { messages: [words(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)] };
    case "test_prompt_with_embedded_resource": {
      const resource = {
        uri: args.resourceUri,
        mimeType: "text/plain",
        text: "Embedded resource content for testing.",
      };
      return {
        messages: [user({ type: "resource", resource }), words("Please process the embedded resource above.")],
      };
    }
    case "test_prompt_with_image":
      return {
        messages: [user({ type: "image", data: PNG, mimeType: "image/png" }), words("Please analyze the image above.")],
      };
    case "test_input_required_result_prompt": {
      const requestedSchema = {
        type: "object",
        properties: { context: { type: "string" } },
        required: ["context"],
      };
      const params = { message: "What context should the prompt use?", requestedSchema };
      const { content } = await caller.ask("user_context", { method: "elicitation/create", params });
      return { messages: [words(`With the context: ${JSON.stringify(content)}`)] };
    }
    default:
      return undefined;
  }
}

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

export const resources = () => [
  { uri: "test://static-text", name: "static-text", description: "A text.", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", description: "A picture.", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "watched", description: "Can be subscribed to.", mimeType: "text/plain" },
];

export const templates = () => [
  { uriTemplate: "test://template/{id}/data", name: "template", description: "By id.", mimeType: "application/json" },
];

export function read(uri: string) {
  counted(uri);
  const id = TEMPLATE.exec(uri)?.[1];
  const content = {
    "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
    "test://static-binary": { mimeType: "image/png", blob: PNG },
    "test://watched-resource": { mimeType: "text/plain", text: "Watched." },
  }[uri];
  if (content) return { contents: [{ uri, ...content }] };
  if (id === undefined) return undefined;
  const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: "application/json", text }] };
}

export function complete({ argument: { value } }: { readonly argument: { readonly value: string } }) {
  return ["paris", "park", "party"].filter((word) => word.startsWith(value));
}
