import type { Behavior, Mode, Situation, TraceStep, Workspace } from "../decision.ts";
import { type CriticalRemovals, criticalRemovals } from "../guard/critical.ts";
import { type ForbiddenFinder, forbiddenFinder } from "../guard/forbidden.ts";
import { type ProtectedPaths, protectedPaths } from "../guard/protected.ts";
import type { ClassContext } from "../mode.ts";
import { type PathFold, pathFold } from "../pattern/path-fold.ts";
import { indexRules, type RuleIndex } from "../rule/rule-index.ts";
import { builtinToolNames, type ToolNames } from "../toolset/names.ts";
import { workspaceArea } from "./area.ts";
import type { RuleBook } from "./rule-book.ts";

/** A further check between the guards and the mode, such as information flow. It can only tighten. */
export type ExtraStep = (situation: Situation) => TraceStep | undefined;

/** What a policy is made of, checked and complete. */
export interface MachineParts {
  readonly book: RuleBook;
  readonly mode: Mode;
  readonly workspace: Workspace;
  readonly known?: ToolNames | undefined;
  readonly forbidden: readonly string[];
  readonly planFiles: readonly string[];
  readonly extra?: ExtraStep | undefined;
}

/** Everything that a decision looks at, laid out for one workspace and mode. */
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
  readonly extra?: ExtraStep | undefined;
}

/** Lays out the parts. All work that does not depend on a call is done here. */
export function assemble(parts: MachineParts): Machine {
  const { book, mode, workspace, extra } = parts;
  const fold = pathFold(workspace.platform);
  const ignoresCase = workspace.platform === "darwin" || workspace.platform === "win32";
  const index = (rules: RuleBook["inert"]) => indexRules(rules, workspace, fold);
  const planFiles = new Set(parts.planFiles.map(fold.path));
  return {
    mode,
    workspace,
    names: parts.known ?? builtinToolNames,
    fold,
    ignoresCase,
    book,
    rules: { deny: index(book.rules.deny), ask: index(book.rules.ask), allow: index(book.rules.allow) },
    inert: index(book.inert),
    classes: { ...workspaceArea(workspace, fold), isPlanFile: (path) => planFiles.has(fold.path(path)) },
    protected: protectedPaths(fold),
    critical: criticalRemovals(workspace, fold),
    findForbidden: forbiddenFinder(parts.forbidden, ignoresCase),
    extra,
  };
}
