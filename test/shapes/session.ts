// One Haft for the samples and the tests of the shapes: a folder of its own, and an asker that says yes.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHaft, type Haft, type HaftOptions } from "haft";

export interface ShapeSession {
  readonly haft: Haft;
  readonly cwd: string;
  /** The tools that a person was asked about. */
  readonly asked: string[];
}

const open: ShapeSession[] = [];

export async function shapeSession(options: HaftOptions = {}): Promise<ShapeSession> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-shapes-")));
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src/a.ts"), "export const a = 1;\n");
  const asked: string[] = [];
  const haft = await createHaft({
    ...{ cwd, home: cwd, env: {}, stateDir: false },
    ask: async ({ tool }) => {
      asked.push(tool);
      return { behavior: "allow" };
    },
    ...options,
  });
  const session = { haft, cwd, asked };
  open.push(session);
  return session;
}

export async function closeSessions(): Promise<void> {
  for (const { haft, cwd } of open.splice(0)) {
    await haft[Symbol.asyncDispose]();
    rmSync(cwd, { recursive: true, force: true });
  }
}
