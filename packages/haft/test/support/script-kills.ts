import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { contentsText, defineTool, state } from "@haft/core/tool";
import { createHaft } from "../../src/index.ts";

/** The lines that the calls of a session have written. */
interface Life {
  readonly lines: string[];
  /** The text of the script's end, or the error. */
  readonly text: string;
}

/** Numbers by chance, the same for the same seed. */
export function chance(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 1 | state) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 14)) >>> 0) % below;
  };
}

/** A script of three to six calls, one after another, together, in loops, and some that are refused. */
export function randomScript(seed: number): string {
  const pick = chance(seed);
  const parts = ["const done = [];", "const line = (name) => name + Math.floor(Math.random() * 1e6);"];
  let calls = 0;
  while (calls < 3) {
    const name = String.fromCharCode(97 + calls);
    const kind = pick(4);
    if (kind === 0) parts.push(`done.push(await tools.Step({ line: line("${name}") }));`);
    if (kind === 1)
      parts.push(
        `done.push(...(await Promise.all(["${name}1", "${name}2"].map((one) => tools.Step({ line: line(one) })))));`,
      );
    if (kind === 2) parts.push(`try { await tools.Closed({}); } catch (error) { done.push(error.name); }`);
    if (kind === 3)
      parts.push(
        `for (const one of ["${name}1", "${name}2"]) if (Date.now() > 0) done.push(await tools.Step({ line: line(one + done.length) }));`,
      );
    calls += kind === 1 || kind === 3 ? 2 : 1;
  }
  parts.push("console.log(done.join(), Date.now() > 0);");
  return parts.join("\n");
}

/**
 * Runs a script in a session, or goes on with the one in `stateDir`. `onCall` is called right before each call starts and
 * right after it has had its effect.
 */
async function live(
  stateDir: string,
  code: string,
  onCall: (moment: "before" | "inside", lines: readonly string[]) => void = () => {},
): Promise<Life> {
  const lines: string[] = [];
  const Step = defineTool({
    ...{ name: "Step", description: "Writes a line.", can: ["state"] },
    input: {
      type: "object",
      properties: { line: { type: "string", description: "The line." } },
      required: ["line"],
    } as const,
    effects() {
      onCall("before", lines);
      return [state("lines")];
    },
    run({ line }) {
      lines.push(line);
      onCall("inside", lines);
      return `did ${line}`;
    },
  });
  const Closed = defineTool({
    ...{
      name: "Closed",
      description: "Is refused.",
      can: ["state"],
      input: { type: "object", properties: {} } as const,
    },
    effects() {
      onCall("before", lines);
      return [state("closed")];
    },
    run: () => "never",
  });
  await using haft = await createHaft({
    ...{
      cwd: dirname(stateDir),
      home: dirname(stateDir),
      stateDir,
      session: "repl",
      tools: [Step, Closed],
      env: {},
      loopGuard: false,
    },
    ...{ rules: { allow: ["Step"], deny: ["Closed"] }, settings: { gates: { repl: true } }, settingsFiles: false },
  });
  const input = code === "" ? { code, resume: true } : { code };
  const [outcome] = await haft.run([{ id: code === "" ? "r2" : "r1", tool: "REPL", input }]);
  const { error, content } = outcome!.result;
  const text = error ? `${error.code}: ${error.message}` : contentsText(content);
  // The only difference that is meant to be there.
  return { lines: [...lines], text: text.replace(/\n\[\d+ of \d+ results come from the interrupted run\]$/, "") };
}

/**
 * Runs scripts, and keeps the state on disk as a kill before and inside each call would leave it. Goes on from each, and
 * counts effects that came twice, effects that are missing, and results that differ from the run without a kill.
 */
export async function scriptKills(seeds: readonly number[]) {
  const found = { kills: 0, doubled: 0, lost: 0, different: 0, unknown: 0 };
  for (const seed of seeds) {
    const base = mkdtempSync(join(tmpdir(), "haft-script-kill-"));
    try {
      const kills: { readonly moment: string; readonly lines: readonly string[]; readonly dir: string }[] = [];
      mkdirSync(join(base, "whole"));
      const whole = await live(join(base, "whole"), randomScript(seed), (moment, lines) => {
        const dir = join(base, `${kills.length}`);
        cpSync(join(base, "whole"), dir, { recursive: true });
        kills.push({ moment, lines: [...lines], dir });
      });
      for (const { moment, lines, dir } of kills) {
        found.kills += 1;
        const after = await live(dir, "");
        const all = [...lines, ...after.lines];
        found.doubled += all.length - new Set(all).size;
        // A call that was killed inside has an unknown outcome: the script learns it, and may take another course.
        if (moment === "inside" && after.text !== whole.text) found.unknown += 1;
        else {
          if (after.text !== whole.text) found.different += 1;
          found.lost += whole.lines.filter((line) => !all.includes(line)).length;
        }
      }
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  }
  return found;
}
