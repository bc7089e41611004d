import { type AgentToolResult, fromAgentTool, toAgentToolResult } from "@haft/core/compat/agent-tool";
import { toToolResultBlockParam } from "@haft/core/compat/build-tool";
import * as declarative from "@haft/core/compat/declarative";
import { toToolResult as toSemaBlock } from "@haft/core/compat/sema";
import { toExecutionResult, toToolResult } from "@haft/core/compat/tool-define";
import { failure, type Result, text } from "@haft/core/tool";
import { afterAll, expect, it } from "vitest";
import { closeSessions, shapeSession } from "./session.ts";

afterAll(closeSessions);

const whole: Result = {
  content: [text("one"), { type: "image", data: "AAAA", mediaType: "image/png" }],
  output: { path: "a.ts", lines: 3 },
  display: { kind: "diff", path: "a.ts", before: "a", after: "b", added: 1, removed: 1, unified: "-a\n+b" },
  title: "Edited a.ts",
  metadata: { lines: 3 },
};
const failed = failure({ code: "file_not_found", message: "There is no a.ts." });

it("H01 each shape gets of a result all that it can hold", () => {
  expect(toToolResult(whole)).toEqual({
    title: "Edited a.ts",
    output: expect.stringMatching(/^one\n/),
    metadata: { lines: 3 },
  });
  expect(toExecutionResult(failed)).toEqual({ success: false, error: expect.stringContaining("no a.ts") });
  expect(toAgentToolResult(whole)).toEqual({
    content: [
      { type: "text", text: "one" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ],
    details: whole.output,
  });
  const shown = declarative.toToolResult(whole);
  expect(declarative.toContents(shown.llmContent)).toEqual(whole.content);
  expect(declarative.toDisplay(shown.returnDisplay, false)).toEqual(whole.display);
  expect(declarative.toToolResult(failed).error).toEqual({ message: "There is no a.ts.", type: "FILE_NOT_FOUND" });
  expect(toToolResultBlockParam(whole, "t1")).toEqual({
    type: "tool_result",
    tool_use_id: "t1",
    content: whole.content,
  });
  expect(toToolResultBlockParam(failed, "t1")).toMatchObject({ is_error: true, content: failed.content });
  const call = { id: "t1", tool: "Edit", batch: "b", turn: 1, index: 0 };
  expect(toSemaBlock({ call, result: failed } as never)).toMatchObject({ tool_use_id: "t1", is_error: true });
});

it("H01 a result that comes in a shape goes out in it unchanged", async () => {
  const given: AgentToolResult = {
    content: [
      { type: "text", text: "one" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ],
    details: { lines: 3 },
  };
  const tool = fromAgentTool({
    name: "give",
    description: "",
    parameters: { type: "object" },
    execute: async () => given,
  });
  const { haft } = await shapeSession({ tools: [tool] });
  const { output, content } = await haft.call("give", {});
  expect(toAgentToolResult({ content, output: (output as AgentToolResult).details })).toEqual(given);
});
