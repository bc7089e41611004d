import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Mode, PolicyTool } from "../decision.ts";
import { availability, builtinToolNames, createToolFilter, openGates, withBuiltinNames } from "../toolset/index.ts";
import {
  hasErrors,
  type MergedSettings,
  mergeSettings,
  parseSettings,
  SETTINGS_PRECEDENCE,
  type Settings,
  type SettingsLayer,
  type SettingsOrigin,
} from "./index.ts";

const flag = fc.boolean();
const some = <T>(...values: T[]) => fc.subarray(values);
const partial = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { requiredKeys: [] });
const server = fc.record({ command: fc.constantFrom("a", "b") });

/** Any settings that the reader accepts. */
const written = partial({
  permissions: partial({
    allow: some("Bash", "Edit", "Read(src/**)"),
    ask: some("Bash(git push *)", "WebFetch"),
    deny: some("Read(.env)", "WebSearch"),
    defaultMode: fc.constantFrom("default", "acceptEdits", "plan", "dontAsk", "yolo"),
    disableBypassPermissionsMode: fc.constant("disable"),
    additionalDirectories: some("/a", "/b"),
  }),
  policy: partial({
    profile: fc.constantFrom("minimal", "coding", "messaging", "full"),
    allow: some("group:fs", "Bash", "*"),
    deny: some("exec", "group:web", "write"),
  }),
  tools: partial({ Read: partial({ enabled: flag, autoExecute: flag }), exec: partial({ enabled: flag }) }),
  enableToolCalls: flag,
  useTools: fc.option(some("Read", "Bash", "Write"), { nil: null }),
  bash: partial({
    enableSandbox: flag,
    confirmDangerousCommands: flag,
    allowedDirectories: some("/a"),
    dangerousCommandWhitelist: some("rm"),
  }),
  toolAgent: partial({ autoConfirmDangerous: flag, maxToolCalls: fc.integer({ min: 1, max: 9 }) }),
  hooks: partial({ Stop: fc.constant([{ hooks: [{ type: "command", command: "x" }] }]) }),
  mcpServers: partial({ one: server, two: server }),
  sandbox: partial({
    tier: fc.constantFrom("auto", "readers", "bwrap", "srt", "none"),
    network: fc.oneof(flag, some("a.org", "10.0.0.0/8")),
    limits: partial({ processes: fc.integer({ min: 1, max: 9 }), memoryMB: fc.integer({ min: 1, max: 9 }) }),
  }),
  model: fc.constantFrom("a/1", "b/2"),
  concurrency: fc.constantFrom("effects", "partition", "strict"),
  gates: partial({ tasks: flag, swarms: flag, embeddedSearch: flag }),
  discovery: partial({ command: fc.constantFrom("x", "y") }),
  flow: fc.constantFrom("enforce", "off"),
  budgets: partial({
    resultChars: fc.integer({ min: 1, max: 200_000 }),
    tools: partial({ Bash: fc.integer({ min: 1 }) }),
  }),
});

/** With tools that this version has not. */
const names = withBuiltinNames(["session_status", "message", "sessions_list", "REPL"].map((name) => ({ name })));

const layerOf = (origin: SettingsOrigin, value: object): SettingsLayer =>
  parseSettings(value, { origin, file: `${origin}.json`, names });

const others = fc.array(fc.tuple(fc.constantFrom("managed", "cli", "local", "user" as const), written), {
  maxLength: 4,
});

/** How much a mode lets happen. Modes of one height are not comparable. */
const height: Readonly<Record<Mode, number>> = {
  plan: 0,
  dontAsk: 0,
  default: 1,
  acceptEdits: 2,
  undoable: 2,
  bypassPermissions: 3,
};
const tier = { none: 0, readers: 1, auto: 2, srt: 3, bwrap: 3 } as const;

const tools = builtinToolNames.all.map((name): PolicyTool => ({ name, origin: "builtin" }));
const offer = {
  cwd: "/",
  agent: { id: "a" },
  platform: "linux",
  ports: new Set<string>(),
  tools: new Set<string>(),
  mode: "",
};

const offered = (settings: Settings): string[] => {
  const by = { ...settings, filter: createToolFilter(settings.toolPolicies), gates: openGates(settings.gates) };
  return tools.filter((tool) => availability(tool, by, offer) === true).map(({ name }) => name);
};

/** Everything in which `now` lets more happen than `before`. */
function looser(before: MergedSettings, now: MergedSettings): string[] {
  const [was, is] = [before.settings, now.settings];
  const rules = ({ rules: all }: MergedSettings, loosen: boolean) =>
    all.filter(({ behavior }) => (behavior === "allow") === loosen).map((rule) => JSON.stringify(rule));
  const [modeWas, modeIs] = [was.defaultMode ?? "default", is.defaultMode ?? "default"];
  const findings: Record<string, boolean> = {
    allow: !subset(rules(now, true), rules(before, true)),
    denyAsk: !subset(rules(before, false), rules(now, false)),
    bypass: was.bypassDisabled === true && is.bypassDisabled !== true,
    mode: modeIs !== modeWas && height[modeIs] >= height[modeWas],
    tools: !subset(offered(is), offered(was)),
    autoExecute: !subset(truthy(is, "autoExecute"), truthy(was, "autoExecute")),
    enabled: !subset(truthy(is, "enabled"), truthy(was, "enabled")),
    sandboxTier: tier[is.sandbox?.tier ?? "readers"] < tier[was.sandbox?.tier ?? "readers"],
    network: reach(is.sandbox?.network).some((host) => !reach(was.sandbox?.network).includes(host)),
    processes: (is.sandbox?.limits?.processes ?? 4096) > (was.sandbox?.limits?.processes ?? 4096),
    memory: (is.sandbox?.limits?.memoryMB ?? Infinity) > (was.sandbox?.limits?.memoryMB ?? Infinity),
    enableSandbox: was.bash?.enableSandbox === true && is.bash?.enableSandbox !== true,
    confirm: was.bash?.confirmDangerousCommands !== false && is.bash?.confirmDangerousCommands === false,
    autoConfirm: is.toolAgent?.autoConfirmDangerous === true && was.toolAgent?.autoConfirmDangerous !== true,
    maxToolCalls: (is.toolAgent?.maxToolCalls ?? Infinity) > (was.toolAgent?.maxToolCalls ?? Infinity),
    gates: Object.entries(is.gates ?? {}).some(([name, on]) => on !== false && was.gates?.[name] !== on),
    flow: is.flow === "off" && was.flow !== "off",
    resultChars: (is.budgets?.resultChars ?? 100_000) > (was.budgets?.resultChars ?? 100_000),
    bashChars:
      is.budgets?.tools?.Bash !== was.budgets?.tools?.Bash &&
      !(Number(is.budgets?.tools?.Bash) < Number(was.budgets?.tools?.Bash)),
  };
  for (const key of ["hooks", "mcpServers", "discovery", "model", "additionalDirectories"] as const)
    findings[key] = JSON.stringify(is[key]) !== JSON.stringify(was[key]);
  for (const key of ["allowedDirectories", "dangerousCommandWhitelist"] as const)
    findings[key] = JSON.stringify(is.bash?.[key]) !== JSON.stringify(was.bash?.[key]);
  return Object.keys(findings).filter((key) => findings[key]);
}

const reach = (network: boolean | readonly string[] = false): readonly string[] =>
  typeof network === "boolean" ? (network ? ["*", "a.org", "10.0.0.0/8"] : []) : network;

const truthy = (settings: Settings, key: "autoExecute" | "enabled"): string[] =>
  Object.entries(settings.tools ?? {}).flatMap(([name, setting]) => (setting[key] === true ? [name] : []));

const subset = (some: readonly string[], all: readonly string[]): boolean => some.every((item) => all.includes(item));

describe("merging", () => {
  it("V10 law: an untrusted project never loosens anything, regardless of its settings and the others", () => {
    fc.assert(
      fc.property(others, written, (rest, project) => {
        const layers = rest.map(([origin, value]) => layerOf(origin, value));
        const before = mergeSettings(layers, { trusted: false });
        const now = mergeSettings([...layers, layerOf("project", project)], { trusted: false });
        expect(hasErrors(now.problems)).toBe(false);
        expect(looser(before, now)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("V06 law: a single value is that of the strongest layer that has one, for any order of the layers", () => {
    const layers = fc.uniqueArray(fc.tuple(fc.constantFrom(...SETTINGS_PRECEDENCE), written), {
      selector: ([origin]) => origin,
      maxLength: 5,
    });
    fc.assert(
      fc.property(
        layers.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          const merged = mergeSettings(
            list.map(([origin, value]) => layerOf(origin, value)),
            { trusted: true },
          );
          const again = mergeSettings(
            shuffled.map(([origin, value]) => layerOf(origin, value)),
            { trusted: true },
          );
          expect(again.settings).toEqual(merged.settings);
          const strongest = SETTINGS_PRECEDENCE.flatMap((origin) => list.filter(([from]) => from === origin)).map(
            ([, value]) => value,
          );
          for (const key of ["model", "enableToolCalls", "concurrency", "flow"] as const)
            expect(merged.settings[key]).toEqual(strongest.find((value) => value[key] !== undefined)?.[key]);
        },
      ),
      { numRuns: 150 },
    );
  });
});
