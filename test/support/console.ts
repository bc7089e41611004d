import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { HAFT, type Scratch } from "../../packages/haft/test/support/haft-process.ts";

/** A line of a console and what stands below it. */
export interface Step {
  readonly typed: string;
  readonly shown: string;
}

/** The input and output in the console blocks of a page. */
export function consoles(page: string): Step[][] {
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```(?:console)?\n(\$ .*?)^```$/gms)];
  return blocks.map(([, text = ""]) =>
    text
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [typed = "", ...shown] = step.trimEnd().split("\n");
        return { typed, shown: shown.join("\n") };
      }),
  );
}

/** A repository as the page has it, and `haft` on the path. */
export function shop(place: Scratch): void {
  place.write("src/price.ts", "export const price = 10;\nexport const tax = 2;\n");
  place.write("notes.txt", "call the bank\n");
  place.write("README.md", "# Shop\n");
  place.write(
    "release.py",
    'open("src/price.ts", "a").write("export const vat = 1;\\n")\nopen(".envrc", "w").write("export SHOP=1\\n")\n',
  );
  const program = join(place.cwd, "../bin/haft");
  mkdirSync(join(place.cwd, "../bin"));
  writeFileSync(program, `#!/bin/sh\nexec '${[process.execPath, ...HAFT].join("' '")}' "$@"\n`);
  chmodSync(program, 0o755);
  const git = "git init -q && git add -A && git -c user.name=me -c user.email=me@shop commit -qm shop";
  expect(type(place, git)).toBe("");
}

/** The output that a person sees after typing this: both streams, without the line that repeats a call's command. */
export function type(place: Scratch, line: string): string {
  const env = { ...place.env, PATH: `${join(place.cwd, "../bin")}:${place.env.PATH}` };
  const { stdout } = spawnSync("bash", ["-c", `exec 2>&1; ${line}`], { cwd: place.cwd, env, encoding: "utf8" });
  return stdout.trimEnd().replace(line.startsWith("haft call") ? /^\$ .*\n?/ : "", "");
}
