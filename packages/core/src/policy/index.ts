/** @module Rules, modes and settings: what may happen, and why. */
export { blanketDenies } from "./blanket.ts";
export * from "./decision.ts";
export { type Area, workspaceArea } from "./engine/area.ts";
export type { PlacedProblem } from "./engine/rule-book.ts";
export { startedWithin } from "./engine/wording.ts";
export { type AutoRun, autoRunFiles } from "./guard/auto-run.ts";
export { FORBIDDEN_COMMANDS } from "./guard/forbidden.ts";
export { isPrivatePath, isSecretName, privateInHome, privatePaths } from "./guard/private.ts";
export { type ProtectedPaths, protectedPaths } from "./guard/protected.ts";
export { createRedactor, type Redact } from "./guard/secrets.ts";
export { PROTECTED_FILES, STARTERS, type Starters } from "./guard/starters.ts";
export { onlyReads } from "./only-reads.ts";
export { compileGlob, type Glob } from "./pattern/glob.ts";
export { compileHost, type HostPattern, normalizeHost } from "./pattern/host-pattern.ts";
export { pathFold } from "./pattern/path-fold.ts";
export { fitsStarred } from "./pattern/starred.ts";
export * from "./policy.ts";
export { type ParsedRule, parseRule } from "./rule/parse.ts";
export type { Rule, RuleProblem, RuleSource, Subject } from "./rule/rule.ts";
export { EFFECT_WORDS, type RuleWord } from "./rule/vocabulary.ts";
export type {
  BashSettings,
  BudgetSettings,
  ChannelSettings,
  DiscoverySettings,
  HookEventName,
  HookGroupSettings,
  HookSettings,
  HooksSettings,
  JournalSettings,
  LanguageServerSettings,
  LayerSettings,
  McpOAuthSettings,
  McpServerSettings,
  MergedSettings,
  ParseSettingsOptions,
  RuleTest,
  SandboxLimits,
  SandboxSettings,
  SandboxTier,
  ServerClientSettings,
  ServerSettings,
  SessionsSettings,
  Settings,
  SettingsLayer,
  SettingsOrigin,
  SettingsProblem,
  ShellSettings,
  TestedCall,
  ToolAgentSettings,
  WrittenSettings,
} from "./settings/index.ts";
export { modeNamed } from "./settings/mode-name.ts";
export { hasErrors, NO_SETTINGS, SETTINGS_PRECEDENCE } from "./settings/model.ts";
export { getCommandPattern } from "./suggest/command-pattern.ts";
export {
  type Absence,
  type AbsenceLayer,
  type AvailabilityPolicy,
  type AvailabilityTool,
  availability,
  builtinToolNames,
  checkToolList,
  createToolFilter,
  type EntryProblem,
  expandToolGroups,
  factsOf,
  familyOf,
  GATES,
  type Gate,
  gateNamed,
  isToolAllowedByPolicy,
  type NamedTool,
  normalizeToolName,
  openGates,
  type PolicyExclusion,
  type ProfileName,
  parseGates,
  profileNames,
  type SourcedToolPolicy,
  substitutesOf,
  TOOL_PROFILES,
  type ToolFacts,
  type ToolFilter,
  type ToolNames,
  type ToolPolicy,
  type ToolSetting,
  toolGroups,
  type WrittenGates,
  withBuiltinNames,
} from "./toolset/index.ts";
