import { expect, it } from "vitest";
import { mcpWorkspace, USER_SETTINGS } from "../../test/support/mcp-workspace.ts";

it.each([
  ["no browser", { web: { browser: { executable: "/nowhere/chromium" } } }],
  ["the gate closed", { gates: { WEB_BROWSER_TOOL: false } }],
])("M03 with %s the tool is not offered, and says why", async (_, settings) => {
  using workspace = mcpWorkspace({ [USER_SETTINGS]: settings });
  await using haft = await workspace.open({ rules: { allow: ["WebBrowser"] } });
  const { tools } = haft.for("anthropic");
  expect(tools.some((tool) => "name" in tool && tool.name === "WebBrowser")).toBe(false);
  const { error } = await haft.call("WebBrowser", { action: "navigate", url: "https://a.example/" });
  expect([error?.code, error?.message]).toEqual(["tool_unavailable", expect.stringContaining("browser")]);
});
