import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { agentSessions } from "../../../test/support/agent-sessions.ts";
import { argumentProposals } from "../../terminal/input/argument-proposals.ts";
import { completableAt, completed, matching } from "../../terminal/input/completion.ts";
import { PromptInput } from "../../terminal/screen/prompt-input.ts";
import { userMessage } from "../message.ts";
import { findLocalServers, LOCAL_PROVIDERS, localAddress, localModels } from "./local-models.ts";
import { openModel } from "./open-model.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A local program that answers each path with a JSON value; `undefined` answers never. */
async function program(answers: Readonly<Record<string, unknown>>): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (!Object.hasOwn(answers, path)) return void response.writeHead(404).end("{}");
    const answer = answers[path];
    if (answer === undefined) return;
    const isStream = typeof answer === "string";
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.end(isStream ? answer : JSON.stringify(answer));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const CHAT = `${chunk({ role: "assistant", content: "Hello " }, null)}${chunk({ content: "there." }, "stop")}data: [DONE]\n\n`;

// The forms in which the three programs answer, as their documentation gives them.
const OLLAMA = {
  "/api/tags": {
    models: [
      {
        ...{ name: "qwen3:8b", model: "qwen3:8b", modified_at: "2026-01-01T00:00:00Z", size: 5_225_376_047 },
        details: { format: "gguf", family: "qwen3", parameter_size: "8.2B", quantization_level: "Q4_K_M" },
      },
    ],
  },
  "/v1/chat/completions": CHAT,
};
const LM_STUDIO = {
  "/api/v0/models": {
    object: "list",
    data: [
      { id: "qwen/qwen3-4b", type: "llm", quantization: "4bit", state: "not-loaded", max_context_length: 32768 },
      { id: "text-embedding-nomic", type: "embeddings", state: "not-loaded" },
    ],
  },
  "/v1/chat/completions": CHAT,
};
const LLAMA = {
  "/v1/models": {
    object: "list",
    data: [
      {
        id: "/models/gemma-3-4b.gguf",
        object: "model",
        owned_by: "llamacpp",
        meta: { n_ctx_train: 131072, size: 2_489_894_912 },
      },
    ],
  },
  "/v1/chat/completions": CHAT,
};

const allThree = async () => ({
  OLLAMA_HOST: await program(OLLAMA),
  LMSTUDIO_BASE_URL: `http://${await program(LM_STUDIO)}/v1`,
  LLAMA_BASE_URL: `http://${await program(LLAMA)}`,
});

it("lists the models of Ollama, LM Studio and llama-server with what is known of them", async () => {
  expect(localModels(await findLocalServers(await allThree()))).toEqual([
    { name: "ollama/qwen3:8b", about: "Ollama, 8.2B, Q4_K_M, 5.2 GB" },
    { name: "lmstudio/qwen/qwen3-4b", about: "LM Studio, 4bit, context 32,768, not loaded" },
    { name: "llama/gemma-3-4b.gguf", about: "llama-server, 2.5 GB, context 131,072" },
  ]);
});

it("another program at the port, one that hangs and one that redirects are no servers of models", async () => {
  const env = {
    OLLAMA_HOST: await program({ "/api/tags": undefined }),
    LMSTUDIO_BASE_URL: await program({ "/api/v0/models": { ok: true } }),
    LLAMA_BASE_URL: await program({ "/v1/models": { data: [{ id: "gpt", owned_by: "somebody" }] } }),
  };
  const found = await findLocalServers(env);
  expect(found.map(({ problem }) => problem)).toEqual(["no answer", "another program uses this port", undefined]);
  expect(localModels(found)).toEqual([]);
  expect((await findLocalServers({ OLLAMA_HOST: "127.0.0.1:9" }))[0]?.problem).toBe("not running");
});

it("without a variable only loopback is asked, at the usual ports", async () => {
  const asked: string[] = [];
  await findLocalServers({}, async (address) => {
    asked.push(String(address));
    throw new TypeError("fetch failed");
  });
  expect(asked).toEqual([
    "http://127.0.0.1:11434/api/tags",
    "http://127.0.0.1:1234/api/v0/models",
    "http://127.0.0.1:8080/v1/models",
  ]);
  const [ollama] = LOCAL_PROVIDERS;
  expect(
    ["0.0.0.0", "box:1", "https://a.example/", "http://h:2/v1"].map((OLLAMA_HOST) =>
      localAddress(ollama!, { OLLAMA_HOST }),
    ),
  ).toEqual(["http://127.0.0.1:11434", "http://box:1", "https://a.example", "http://h:2"]);
});

it.each(["ollama/qwen3:8b", "lmstudio/qwen/qwen3-4b", "llama/gemma-3-4b.gguf"])("%s answers a prompt", async (name) => {
  const model = await openModel(name, await allThree());
  const words: string[] = [];
  const messages = [userMessage("Hi.")];
  const request = { system: "", messages, tools: [], signal: new AbortController().signal };
  for await (const event of model.step(request as never))
    if (event.type === "delta" && event.of === "text") words.push(event.text);
  expect([model.name, words.join("")]).toEqual([name, "Hello there."]);
});

const sessions = agentSessions("local-models");

it("/model lists what is reachable, and Tab completes its name", async () => {
  const env = await allThree();
  const { session } = await sessions.open([], { ...sessions.make().options, env });
  const model = session.commands().find(({ name }) => name === "model")!;
  expect(await model.run("")).toEqual({ text: expect.stringContaining("- ollama/qwen3:8b (Ollama, 8.2B") });
  const news = Promise.withResolvers<void>();
  const proposalsFor = argumentProposals(() => news.resolve());
  const submitted: string[] = [];
  const input = new PromptInput({
    history: { entries: [], add() {} } as never,
    proposals: ({ kind }) => (kind === "argument" ? proposalsFor(model) : []),
    submit: ({ text }) => submitted.push(text),
  });
  input.set("/model qw");
  await news.promise;
  input.propose();
  input.key({ input: "", key: { tab: true } } as never);
  expect(input.text).toBe("/model ollama/qwen3:8b ");
  const field = { text: "/mode p", cursor: 7 };
  const place = completableAt(field)!;
  expect(completed(field, place, matching(place.word, [{ text: "plan" }])[0]!).text).toBe("/mode plan ");
});
