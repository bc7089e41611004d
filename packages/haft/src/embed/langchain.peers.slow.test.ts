import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { expect, it } from "vitest";
import { frameworkHaft, storyCalls } from "../../../../test/support/framework-haft.ts";
import { langchain } from "./langchain.ts";

const messageOf = (calls: { id: string; name: string; input: object }[]) =>
  new AIMessage({ content: "", tool_calls: calls.map(({ input, ...call }) => ({ ...call, args: input })) });

const toolGraph = (tools: ReturnType<typeof tool>[]) =>
  new StateGraph(MessagesAnnotation)
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "tools")
    .addEdge("tools", END)
    .compile({ checkpointer: new MemorySaver() });

it("D15 J10 LangGraph's ToolNode: results in order, a misfit in Haft's words", async () => {
  const { haft, cwd, close } = await frameworkHaft({ ask: async () => ({ behavior: "allow" }) });
  const node = new ToolNode(langchain(haft, { tool, ToolMessage }).tools);
  const calls = [...storyCalls(cwd), { id: "call_03", name: "Read", input: { limit: "x" } }];
  const { messages } = (await node.invoke({ messages: [messageOf(calls)] })) as { messages: ToolMessage[] };
  expect(messages.map(({ tool_call_id, status }) => [tool_call_id, status])).toEqual([
    ["call_01", "success"],
    ["call_02", "success"],
    ["call_03", "error"],
  ]);
  expect(String(messages[0]?.content)).toContain("alpha");
  expect(String(messages[2]?.content)).toContain("file_path");
  expect(String(messages[2]?.content)).not.toContain("did not match expected schema");
  await close();
});

it("D15 E04 LangGraph: an asked call interrupts the graph; resuming runs it once and keeps what ran", async () => {
  const { haft, cwd, text, close } = await frameworkHaft();
  const { tools } = langchain(haft, { tool, ToolMessage, interrupt });
  const graph = toolGraph(tools);
  const config = { configurable: { thread_id: "1" } };
  await graph.invoke({ messages: [messageOf(storyCalls(cwd))] }, config);
  const state = await graph.getState(config);
  const [question] = state.tasks.flatMap(({ interrupts }) => interrupts);
  expect(question?.value).toMatchObject({ type: "tool-approval", id: "call_02", tool: "Write" });
  const { messages } = await graph.invoke(new Command({ resume: true }), config);
  expect(messages.slice(1).map((message) => (message as ToolMessage).status)).toEqual(["success", "success"]);
  expect(text("b.txt")).toBe("beta\n");

  const again = { configurable: { thread_id: "2" } };
  const [, write] = storyCalls(cwd);
  await graph.invoke({ messages: [messageOf([{ ...write!, id: "call_09" }])] }, again);
  const ended = await graph.invoke(new Command({ resume: { approved: false, message: "Not now." } }), again);
  expect(String(ended.messages.at(-1)?.content)).toContain("Not now.");
  await close();
});

it("D15 E04 LangGraph: the same id in another turn is another call", async () => {
  const { haft, cwd, close } = await frameworkHaft();
  const graph = toolGraph(langchain(haft, { tool, ToolMessage, interrupt }).tools);
  const [read] = storyCalls(cwd);
  const turn = async (thread_id: string) => {
    const { messages } = await graph.invoke({ messages: [messageOf([read!])] }, { configurable: { thread_id } });
    return String(messages.at(-1)?.content);
  };
  expect(await turn("1")).toContain("alpha");
  writeFileSync(join(cwd, "a.txt"), "changed\n");
  expect(await turn("2")).toContain("changed");
  await close();
});
