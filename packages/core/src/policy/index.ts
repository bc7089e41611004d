/** @module Rules, modes and settings: what may happen, and why. */
export * from "./blanket.ts";
export * from "./decision.ts";
export type { ExtraStep } from "./engine/machine.ts";
export type { PlacedProblem } from "./engine/rule-book.ts";
export { FORBIDDEN_COMMANDS } from "./guard/forbidden.ts";
export { PROTECTED_FILES, PROTECTED_FOLDERS, type ProtectedPaths, protectedPaths } from "./guard/protected.ts";
export * from "./lint.ts";
export { MODE_TABLE } from "./mode.ts";
export { pathFold } from "./pattern/path-fold.ts";
export * from "./policy.ts";
export { isSafeAssignment, SAFE_ASSIGNMENTS, TRANSPARENT_WRAPPERS } from "./rule/command-forms.ts";
export { type ParsedRule, parseRule } from "./rule/parse.ts";
export type { Rule, RuleProblem, RuleSource, Subject } from "./rule/rule.ts";
export { EFFECT_WORDS, type RuleWord } from "./rule/vocabulary.ts";
export * from "./settings/index.ts";
export { getCommandPattern } from "./suggest/command-pattern.ts";
export * from "./toolset/index.ts";
