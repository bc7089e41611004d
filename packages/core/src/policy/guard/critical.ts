import { basename, isWithin, normalize, parent, type RunEffect, type WriteEffect } from "../../tool/index.ts";
import type { Workspace } from "../decision.ts";
import type { PathFold } from "../pattern/path-fold.ts";

const REMOVERS: ReadonlySet<string> = new Set(["rm", "rmdir", "unlink", "shred", "srm", "Remove-Item"]);

/** Recognizes removals that would destroy the workspace, the home or the system. */
export interface CriticalRemovals {
  /** The critical place that a write would remove. */
  inWrite(write: WriteEffect): string | undefined;
  /** The critical operand of a removing command that was only partly understood. */
  inCommand(run: RunEffect): string | undefined;
}

/**
 * Critical are the root and its children (drives among them), the home folder and its ancestors. So are the workspace,
 * the current folder and their ancestors, and added folders. Each counts as itself or through a wildcard for all of its
 * content.
 */
export function criticalRemovals(workspace: Workspace, fold: PathFold): CriticalRemovals {
  const { root, startedIn, cwd, home, additional } = workspace;
  const places = [root, startedIn, cwd, home, ...additional].map((place) => fold.path(normalize(place)));
  const isCritical = (path: string): boolean => {
    const folded = fold.path(path);
    return parent(folded) === "/" || places.some((place) => isWithin(folded, place));
  };
  return {
    inWrite(write) {
      if (write.change !== "delete") return undefined;
      return [write.path, write.as].find((path) => path !== undefined && isCritical(path));
    },
    inCommand(run) {
      return removedOperands(run).find((operand) => {
        const path = criticalPath(operand, run.cwd, home);
        return path === "everything" || (path !== undefined && isCritical(path));
      });
    },
  };
}

function removedOperands(run: RunEffect): readonly string[] {
  const program = basename(run.argv[0] ?? "");
  const operands = run.argv.slice(1);
  // An empty operand names nothing; it does not name the folder that it would be joined to.
  if (REMOVERS.has(program)) return operands.filter((operand) => operand !== "" && !operand.startsWith("-"));
  return program === "find" ? emptiedByFind(operands) : [];
}

/** The starting points of a `find -delete` without tests. With a test such as -name it removes only some files. */
function emptiedByFind(operands: readonly string[]): readonly string[] {
  const start = operands.findIndex((operand) => /^[-(!]/.test(operand));
  const expression = start < 0 ? [] : operands.slice(start);
  const isUnselective = expression.every((word) => /^-(?:delete|depth|mindepth|xdev|mount|type)$|^[\dfdl]$/.test(word));
  if (!expression.includes("-delete") || !isUnselective) return [];
  return start > 0 ? operands.slice(0, start) : ["."];
}

/** The folder that an operand would empty or remove; `everything` if it depends on a variable that may be empty. */
function criticalPath(operand: string, cwd: string, home: string): string | undefined {
  // Parts unknown before the run stay as written, quotes included.
  const expanded = operand.replaceAll('"', "").replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, () => home);
  if (/^\$(?:\w+|\{[^}]*\})(?:\/+(?:\.?\*+)?)?$/.test(expanded)) return "everything";
  const whole = expanded.replace(/(?:^|\/)(?:\.?\*+)$/, "/.").replace(/^\/\.$/, expanded.startsWith("/") ? "/" : ".");
  if (/[*?$`]/.test(whole)) return undefined;
  return normalize(whole.startsWith("/") ? whole : `${cwd}/${whole}`);
}
