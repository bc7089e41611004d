/** The cost of a request's tool list with many tools, skills and plugins, once everything has been read. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pluginStore } from "@haft/plugins";
import { createHaft, defineTool } from "haft";
import { type Figure, p50 } from "./measure.ts";

const COUNT = { tools: 500, skills: 200, plugins: 20, rounds: 60 };

export async function offerFigures(): Promise<Figure[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-offer-")));
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  try {
    const skill = (name: string) =>
      `---\nname: ${name}\ndescription: Helps with ${name} in several ways.\n---\nDo it.\n`;
    for (let at = 0; at < COUNT.skills - COUNT.plugins; at++)
      put(`work/.haft/skills/skill-${at}/SKILL.md`, skill(`skill-${at}`));
    const store = pluginStore(join(base, "state"));
    for (let at = 0; at < COUNT.plugins; at++) {
      put(`new-${at}/.claude-plugin/plugin.json`, JSON.stringify({ name: `plugin-${at}` }));
      put(`new-${at}/skills/own/SKILL.md`, skill("own"));
      store.keep({ name: `plugin-${at}`, source: "bench", declared: [], tools: [] }, join(base, `new-${at}`));
    }
    mkdirSync(join(base, "home"));
    const tools = Array.from({ length: COUNT.tools }, (_, at) =>
      defineTool({
        name: `tool_${at}`,
        description: `Does the work number ${at}.`,
        input: { type: "object", properties: { text: { type: "string" } } },
        run: () => "done",
      }),
    );
    await using haft = await createHaft({
      ...{ cwd: join(base, "work"), home: join(base, "home"), stateDir: join(base, "state"), env: {} },
      ...{ settings: {}, trusted: true, tools },
    });
    const samples: number[] = [];
    for (let round = 0; round < COUNT.rounds; round++) {
      const from = performance.now();
      const offer = await haft.offer();
      if (round >= 20) samples.push(performance.now() - from);
      if (offer.tools.length < COUNT.tools || haft.skills.list().length < COUNT.skills)
        throw new Error("something is missing");
    }
    return [{ name: "offer, 500 tools, 200 skills, 20 plugins", value: p50(samples), unit: "ms p50", limit: 10 }];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
