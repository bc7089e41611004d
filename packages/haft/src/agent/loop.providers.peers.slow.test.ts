import { type ChatCompletionRequest, LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { agentSetup } from "../../test/support/agent.ts";
import { runAgent } from "./loop.ts";
import { userMessage } from "./message.ts";
import { openModel } from "./provider/open-model.ts";

// A mock server of somebody else's making: it speaks each provider's wire as that project understands it.
const mock = new LLMock({ port: 0 });
let url = "";

const hasResults = (request: ChatCompletionRequest) => request.messages.some(({ role }) => role === "tool");

beforeAll(async () => {
  mock.on(
    { predicate: (request) => !hasResults(request) },
    {
      content: "Writing, then reading.",
      toolCalls: [
        { id: "call_1", name: "Put", arguments: '{"path": "b.txt", "text": "line \\"1\\"\\n\\u2713"}' },
        { id: "call_2", name: "Get", arguments: '{"path": "b.txt"}' },
        { id: "call_3", name: "Get", arguments: '{"path": "missing.txt"}' },
      ],
    },
  );
  mock.on({ predicate: hasResults }, { content: "All done." });
  url = await mock.start();
});
afterAll(() => mock.stop());
beforeEach(() => {
  vi.stubGlobal("AI_SDK_LOG_WARNINGS", false);
  mock.clearRequests();
});

const environments = {
  "anthropic/claude-test": () => ({ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${url}/v1` }),
  "openai/gpt-test": () => ({ OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${url}/v1` }),
  "compatible/local-test": () => ({ OPENAI_BASE_URL: `${url}/v1` }),
  "google/gemini-test": () => ({ GOOGLE_GENERATIVE_AI_API_KEY: "none", GOOGLE_BASE_URL: `${url}/v1beta` }),
};

it.each(Object.entries(environments))(
  "D15 two turns through %s: calls, results with their ids, answer",
  async (name, env) => {
    const model = await openModel(name, env(), { maxRetries: 0 });
    const setup = agentSetup();
    const end = await runAgent({ model, ...setup, messages: [userMessage("Go.")] });
    expect(end).toMatchObject({ reason: "answered", text: "All done.", turns: 2 });
    expect(setup.disk.get("/w/b.txt")).toBe('line "1"\n✓');
    const results = end.messages.flatMap((message) => (message.role === "results" ? message.results : []));
    expect(results.map(({ tool, status }) => [tool, status])).toEqual([
      ["Put", "ok"],
      ["Get", "ok"],
      ["Get", "error"],
    ]);
    const requests = mock.getRequests();
    expect(requests).toHaveLength(2);
    const sent = (requests[1]!.body as ChatCompletionRequest).messages.filter(({ role }) => role === "tool");
    expect(sent.map(({ tool_call_id }) => tool_call_id)).toHaveLength(3);
    expect(JSON.stringify(sent[1])).toContain("✓");
    expect(JSON.stringify(sent[2])).toContain("missing.txt does not exist");
  },
);
