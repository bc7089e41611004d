import { defineTool } from "@haft/core/tool";
import { expect, it } from "vitest";
import { z } from "zod";
import { createHaft } from "../create-haft.ts";
import type { HaftOptions } from "../haft.ts";

type Settings = Exclude<HaftOptions["settings"], false | string | undefined>;

async function noticesOf(settings: Settings, options: HaftOptions = {}): Promise<string> {
  await using haft = await createHaft({
    settings,
    settingsFiles: false,
    stateDir: false,
    onNotice: () => {},
    ...options,
  });
  return haft.notices.map(({ message }) => message).join("\n");
}

const own = defineTool({ name: "Tungsten", description: "Draws.", input: z.object({}), run: () => "" });

it.each<[string, Settings]>([
  ["policy.allow", { policy: { allow: ["Read", "Tungsten"] } }],
  ["useTools", { useTools: ["Read", "Tungsten"] }],
  ["tools", { tools: { Tungsten: { enabled: false } } }],
])(
  "V01 the entry of %s for a tool that does not exist is told, and counts once a host has the tool",
  async (_key, settings) => {
    expect(await noticesOf(settings)).toContain('The tool "Tungsten" does not exist in this version');
    expect(await noticesOf(settings, { tools: [own] })).toBe("");
  },
);
