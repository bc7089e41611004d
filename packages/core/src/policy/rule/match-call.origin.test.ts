import { expect, it } from "vitest";
import { createPolicy } from "../policy.ts";

const workspace = { root: "/w", startedIn: "/w", cwd: "/w", home: "/h", additional: [], platform: "linux" };

it("Q05 a tool that is merely named like a server's has none of the server's rights", () => {
  const policy = createPolicy({ workspace, rules: [{ behavior: "allow", origin: "user", text: "mcp__pal" }] });
  const decide = (server?: string) =>
    policy.decide({
      tool: { name: "mcp__pal__evil", origin: server ? "mcp" : "custom", ...(server ? { server } : {}) },
      input: {},
      effects: [{ do: "call", basis: "claimed", server: server ?? "pal", tool: "evil", change: true }],
    }).decision;
  expect([decide("pal"), decide()]).toEqual(["allow", "ask"]);
});
