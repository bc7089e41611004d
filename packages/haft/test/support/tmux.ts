import { execFileSync, spawnSync } from "node:child_process";
import { expect } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import type { Scratch } from "./haft-process.ts";

/** Without tmux there is no real terminal. */
export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** A real terminal, for what only shows in one. */
export interface Tmux {
  /** One tmux command on this terminal's own server; gives what it prints. */
  tmux(...args: readonly string[]): string;
  /** Opens the terminal with a program in it, in the folder and the environment of a scratch place. */
  open(place: Scratch, columns: number, program: readonly string[], env?: Readonly<Record<string, string>>): void;
  /** The visible text. */
  screen(): string;
  /** Waits until this is to be seen. */
  shows(text: string): Promise<void>;
  /** Types a line, and Enter. */
  enter(text: string): void;
  close(): void;
}

/** A terminal with a server of its own, so that nobody's tmux is touched. */
export function openTmux(name: string): Tmux {
  let opened = 0;
  // A server that is ending would take the next terminal with it.
  const socket = () => `haft-${name}-${process.pid}-${opened}`;
  const tmux = (...args: readonly string[]) => execFileSync("tmux", ["-L", socket(), ...args], { encoding: "utf8" });
  const screen = () => tmux("capture-pane", "-p", "-J", "-t", "0");
  return {
    tmux,
    open(place, columns, program, env = {}) {
      opened += 1;
      const settings = Object.entries({ ...place.env, ...env }).map(([key, value]) => `${key}=${value}`);
      const window = ["-d", "-x", String(columns), "-y", "45", "-c", place.cwd];
      tmux("-f", "/dev/null", "new-session", ...window, "env", "-i", "TERM=screen", ...settings, ...program);
    },
    screen,
    shows: (text) => expect.poll(screen, { timeout: patience(20_000), interval: 100 }).toContain(text),
    enter(text) {
      tmux("send-keys", "-t", "0", "-l", text);
      tmux("send-keys", "-t", "0", "Enter");
    },
    close: () => void spawnSync("tmux", ["-L", socket(), "kill-server"], { stdio: "ignore" }),
  };
}
