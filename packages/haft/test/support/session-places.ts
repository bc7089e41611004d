import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { createHaft } from "../../src/app/create-haft.ts";
import type { Haft, HaftOptions } from "../../src/app/haft.ts";

/** A folder of its own for a session, and the options that keep the session in it. */
export interface SessionPlace {
  readonly base: string;
  readonly cwd: string;
  readonly options: HaftOptions;
}

/** Sessions in folders of their own for the tests of one file; with each test its sessions end and its folders go. */
export function sessionPlaces(name: string) {
  const folders: string[] = [];
  const open: Haft[] = [];
  afterEach(async () => {
    for (const haft of open.splice(0)) await haft[Symbol.asyncDispose]();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return {
    /** A place with the folders work and home, and more of them where they are named. */
    make(...more: readonly string[]): SessionPlace {
      const base = realpathSync(mkdtempSync(join(tmpdir(), `haft-${name}-`)));
      folders.push(base);
      for (const folder of ["work", "home", ...more]) mkdirSync(join(base, folder), { recursive: true });
      const [cwd, home, stateDir] = ["work", "home", "state"].map((folder) => join(base, folder));
      return { base, cwd: cwd!, options: { cwd: cwd!, home: home!, stateDir: stateDir!, env: {}, settings: false } };
    },
    async open(options: HaftOptions): Promise<Haft> {
      const haft = await createHaft(options);
      open.push(haft);
      return haft;
    },
  };
}
