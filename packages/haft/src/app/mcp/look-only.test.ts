import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTierProbe } from "@haft/sandbox";
import { expect, it } from "vitest";
import { mcpWorkspace, serverEntry, USER_SETTINGS } from "../../../test/support/mcp-workspace.ts";
import { isCheckoutHidden } from "../../../test/support/seen-place.ts";
import type { HaftOptions } from "../haft.ts";

/** Everything below a folder, with its content and the time of its last change. */
const below = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .sort()
    .map((path) => `${path} ${statSync(path).mtimeMs} ${statSync(path).isFile() ? readFileSync(path, "utf8") : ""}`);

it("Q12 F21 an explanation knows the tools that were used before: a changed one asks in it as in its call", async () => {
  using place = mcpWorkspace({ "tool.json": { description: "Deploys." } });
  const definition = join(place.base, "tool.json");
  const server = serverEntry("rough", "version", definition);
  using configured = mcpWorkspace({ [USER_SETTINGS]: { mcpServers: { shop: server } } });
  const options: HaftOptions = { rules: { allow: ["mcp__shop"] } };
  const call = async (tool: string) => {
    await using haft = await configured.open(options);
    return (await haft.call(tool, {})).error?.code;
  };
  const explained = async (tool: string) => {
    await using haft = await configured.open({ ...options, lookOnly: true });
    return (await haft.explain(tool, {})).decision?.decision;
  };
  expect(await explained("mcp__shop__deploy")).toBe("allow");
  expect([await call("mcp__shop__deploy"), await call("mcp__shop__steady")]).toEqual([undefined, undefined]);
  expect(await explained("mcp__shop__deploy")).toBe("allow");

  writeFileSync(definition, JSON.stringify({ description: "Deletes everything." }));
  const before = below(join(configured.base, "state"));
  expect(await explained("mcp__shop__deploy")).toBe("ask");
  expect(await explained("mcp__shop__steady")).toBe("allow");
  expect(below(join(configured.base, "state"))).toEqual(before);
  expect(await call("mcp__shop__deploy")).toBe("needs_approval");
});

it("V10 a Haft that only looks counts the yes to a project's server, and leaves nothing behind", async () => {
  using place = mcpWorkspace({ "work/.mcp.json": { mcpServers: { shared: serverEntry("friendly") } } });
  const looking = async () => {
    await using haft = await place.open({ trusted: true, lookOnly: true });
    await haft.mcp.settled();
    return haft.mcp.list()[0]?.state;
  };
  expect(await looking()).toBe("failed");
  {
    await using haft = await place.open({ trusted: true, ask: async () => ({ behavior: "allow" }) });
    await haft.mcp.settled();
  }
  const before = below(join(place.base, "state"));
  expect(await looking()).toBe("ready");
  expect(below(join(place.base, "state"))).toEqual(before);
});

it("G15 a Haft that only looks needs no sandbox, even if the settings want all commands in one", async () => {
  using place = mcpWorkspace({ [USER_SETTINGS]: { bash: { enableSandbox: true } } });
  await using haft = await place.open({ lookOnly: true });
  const { decision } = await haft.explain("Bash", { command: "touch made" });
  expect(decision?.decision).toBe("ask");
  expect(existsSync(join(place.base, "state"))).toBe(false);
});

const { bwrap } = await createTierProbe({ workspaces: [], home: "/nowhere" })();

it.runIf(bwrap !== undefined && !isCheckoutHidden)(
  "Q02 a Haft that only looks sees the bound of a server in the sandbox, and leaves nothing behind",
  async () => {
    const server = { ...serverEntry("friendly", "legacy"), sandbox: true };
    using place = mcpWorkspace({ [USER_SETTINGS]: { mcpServers: { pal: server } } });
    const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith("haft-look-"));
    const before = leftovers();
    {
      await using haft = await place.open({ lookOnly: true });
      await haft.mcp.settled();
      const { decision, effects } = await haft.explain("mcp__pal__confirm", {});
      expect(decision?.decision).toBe("ask");
      expect(effects?.map((effect) => [effect.do, effect.basis])).toEqual([
        ["call", "enforced"],
        ["read", "enforced"],
        ["write", "enforced"],
      ]);
    }
    expect(leftovers()).toEqual(before);
    expect(existsSync(join(place.base, "state"))).toBe(false);
  },
);
