import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { JournalSettings } from "@haft/core/policy";
import type { Notice } from "../notice.ts";

/** The heads of the two records of a workspace, taken when a session ended or when somebody undid something. */
export interface Head {
  readonly at: string;
  readonly workspace: string;
  /** Absent where no session wrote, as with `haft undo`. */
  readonly session?: string;
  /** The hash of the last line of the session's record. */
  readonly record?: string;
  /** The hash of the last line of the journal. */
  readonly journal?: string;
}

/** Timeout in milliseconds for a program that receives a head. */
const PROGRAM_MS = 5_000;

/** Delivers a head where the settings want it. Returns a failure as a notice, since the session's work is already done. */
export function publishHead(to: JournalSettings["head"], head: Head): Notice | undefined {
  if (to === undefined) return undefined;
  const line = `${JSON.stringify(head)}\n`;
  try {
    if (typeof to === "string") {
      mkdirSync(dirname(to), { recursive: true });
      appendFileSync(to, line, { mode: 0o600 });
      return undefined;
    }
    const [program = "", ...args] = to;
    const { status, error } = spawnSync(program, args, {
      input: line,
      timeout: PROGRAM_MS,
      stdio: ["pipe", "ignore", "ignore"],
    });
    if (status === 0) return undefined;
    return notKept(
      `${program} did not accept the head of the records: ${error?.message ?? `it ended with ${status}`}.`,
      "Fix the program in journal.head of the settings: it reads the head as a line of JSON and must exit with 0.",
    );
  } catch (thrown) {
    return notKept(
      `The head of the records could not be stored: ${(thrown as Error).message}.`,
      "Set journal.head in the settings to a writable file.",
    );
  }
}

const notKept = (message: string, cure: string): Notice => ({
  ...{ code: "head_not_kept", severity: "warning", source: "journal" },
  ...{ message, cure },
});

/** Heads of a workspace kept in a file, the latest last. Lines that do not parse as heads are skipped. */
export function keptHeads(file: string, workspace: string): readonly Head[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line): Head[] => {
      try {
        const head = JSON.parse(line) as Head;
        return head.workspace === workspace && typeof head.at === "string" ? [head] : [];
      } catch {
        return [];
      }
    });
}
