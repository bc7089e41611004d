import type { Behavior, Mode, Situation, TraceStep, Workspace } from "../decision.ts";
import { askedStarts, autoRunFiles } from "../guard/auto-run.ts";
import { type CriticalRemovals, criticalRemovals } from "../guard/critical.ts";
import { type ForbiddenFinder, forbiddenFinder } from "../guard/forbidden.ts";
import { privatePaths } from "../guard/private.ts";
import { type ProtectedPaths, protectedPaths } from "../guard/protected.ts";
import type { ClassContext } from "../mode.ts";
import { inAnyForm, type PathFold, pathFold } from "../pattern/path-fold.ts";
import { indexRules, type RuleIndex } from "../rule/rule-index.ts";
import { builtinToolNames, type ToolNames } from "../toolset/names.ts";
import { workspaceArea } from "./area.ts";
import type { RuleBook } from "./rule-book.ts";

/** A further check between the guards and the mode, such as information flow. It can only tighten. */
export type ExtraStep = (situation: Situation) => TraceStep | undefined;

/** The parts of a policy, checked and complete. */
export interface MachineParts {
  readonly book: RuleBook;
  readonly mode: Mode;
  readonly workspace: Workspace;
  /** The current folder at the start. */
  readonly firstCwd: string;
  readonly known?: ToolNames | undefined;
  readonly forbidden: readonly string[];
  readonly planFiles: readonly string[];
  readonly sawPrivate?: (() => boolean) | undefined;
  readonly keepsReaders?: ((folder: string, workspace: Workspace) => boolean) | undefined;
  readonly extra?: ExtraStep | undefined;
}

/** Everything that a decision reads, prepared for one workspace and mode. */
export interface Machine {
  readonly mode: Mode;
  readonly workspace: Workspace;
  readonly names: ToolNames;
  readonly fold: PathFold;
  readonly ignoresCase: boolean;
  readonly book: RuleBook;
  readonly rules: Readonly<Record<Behavior, RuleIndex>>;
  readonly inert: RuleIndex;
  readonly classes: ClassContext;
  readonly protected: ProtectedPaths;
  readonly critical: CriticalRemovals;
  readonly findForbidden: ForbiddenFinder;
  /** Whether a program that is proved to only read a folder is kept from what rules close below it. */
  readonly keepsReaders: (folder: string) => boolean;
  readonly extra?: ExtraStep | undefined;
}

/** Prepares the parts. Does all the work that does not depend on a call. */
export function assemble(parts: MachineParts): Machine {
  const { book, mode, workspace, keepsReaders = () => false, extra } = parts;
  const fold = pathFold(workspace.platform);
  const ignoresCase = workspace.platform === "darwin" || workspace.platform === "win32";
  const area = workspaceArea(workspace, fold);
  const planFiles = new Set(parts.planFiles.map(fold.path));
  // A `cd` by the model must not loosen anything: deny and ask rules keep counting from the first folder too. Allow
  // rules do not follow it out of the workspace.
  const stopping = [...new Set([parts.firstCwd, workspace.cwd])];
  const allowing = [area.isWritable(workspace.cwd) ? workspace.cwd : parts.firstCwd];
  const index = (rules: RuleBook["inert"], folders: readonly string[], compared = fold) =>
    indexRules(rules, workspace, compared, folders);
  return {
    mode,
    workspace,
    names: parts.known ?? builtinToolNames,
    fold,
    ignoresCase,
    book,
    rules: {
      deny: index(book.rules.deny, stopping, inAnyForm(fold)),
      ask: index(book.rules.ask, stopping, inAnyForm(fold)),
      allow: index(book.rules.allow, allowing),
    },
    inert: index(book.inert, allowing),
    classes: {
      ...area,
      isPlanFile: (path) => planFiles.has(fold.path(path)),
      isPrivate: privatePaths(workspace.home, workspace.readable),
      runsLater: autoRunFiles(),
      starts: askedStarts(),
      sawPrivate: parts.sawPrivate ?? (() => false),
    },
    protected: protectedPaths(),
    critical: criticalRemovals(workspace, fold),
    findForbidden: forbiddenFinder(parts.forbidden, ignoresCase),
    keepsReaders: (folder) => keepsReaders(folder, workspace),
    extra,
  };
}
