import fc from "fast-check";
import type { Behavior, RuleSource, Situation, Workspace } from "../../src/policy/index.ts";
import type { Effect } from "../../src/tool/index.ts";

export const workspace: Workspace = {
  root: "/ws",
  startedIn: "/ws",
  cwd: "/ws/a",
  home: "/home/me",
  additional: ["/data"],
  platform: "linux",
};
export const path = fc.constantFrom(
  "/ws",
  "/ws/a",
  "/ws/a/b.ts",
  "/ws/.git/config",
  "/ws/.env",
  "/etc/x",
  "/data/x",
  "/home/me",
  "/",
);
const command = fc.constantFrom("ls", "git push", "rm -rf /", "sudo ls", "npm test", "make");
const tree = fc.option(fc.constant(true), { nil: undefined });
const basis = fc.constantFrom("enforced" as const, "proved" as const, "claimed" as const);
const as = fc.option(path, { nil: undefined });
/** On a few paths, commands and names that the rules below mean or miss. */
export const effect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({
    ...{ do: fc.constant("read" as const), basis, path, as, tree },
    shows: fc.constantFrom(undefined, "names" as const, "versions" as const),
  }),
  fc.record({
    do: fc.constant("write" as const),
    basis,
    path,
    as,
    tree,
    change: fc.constantFrom("create" as const, "modify" as const, "delete" as const),
  }),
  fc
    .record({
      basis,
      text: command,
      opaque: tree,
      assigns: fc.constantFrom(undefined, ["CI=1"], ["PATH=x"]),
      wrappers: fc.constantFrom(undefined, ["timeout"], ["sh"]),
    })
    .map((run) => ({ ...run, do: "run" as const, argv: run.text.split(" "), cwd: "/ws" })),
  fc.record({
    do: fc.constant("connect" as const),
    basis,
    host: fc.constantFrom("a.example.com", "evil.com"),
    sends: fc.boolean(),
  }),
  fc.record({
    do: fc.constant("call" as const),
    basis,
    server: fc.constantFrom("s", "t"),
    tool: fc.constantFrom("get", "set"),
    change: fc.boolean(),
  }),
  fc.record({ do: fc.constant("state" as const), basis, of: fc.constantFrom("todos", "memory"), change: fc.boolean() }),
  fc.record({ do: fc.constant("delegate" as const), basis, agent: fc.constantFrom("x", "y") }),
  fc.record({ do: fc.constant("ask" as const), basis }),
  fc.record({ do: fc.constant("unknown" as const), basis, why: fc.constant("eval") }),
);
/** Any call. */
export const situation: fc.Arbitrary<Situation> = fc.record({
  tool: fc.record({
    name: fc.constantFrom("Bash", "Edit", "custom", "mcp__s__get"),
    origin: fc.constantFrom("builtin", "mcp"),
    autoExecute: fc.boolean(),
  }),
  input: fc.constantFrom({}, { model: "x" }, null),
  effects: fc.array(effect, { maxLength: 4 }),
});
/** Rules of every kind; the last two cannot be read. */
const RULES = [
  ...[
    "Bash",
    "Edit",
    "custom",
    "mcp__s",
    "Read(**)",
    "Read(.env)",
    "Edit(//**)",
    "Edit(a/**)",
    "write(*.ts)",
    "delete(//ws/a/**)",
    "Read(//ws/a/b.ts)",
  ],
  ...[
    "Bash(git *)",
    "Bash(*)",
    "run(npm test)",
    "Bash(rm *)",
    "connect(*.example.com)",
    "WebFetch(domain:evil.com)",
    "call(s)",
    "call(t/get)",
    "Agent(x)",
  ],
  ...["Bash(broken", "write"],
];
/** Any rule that does one of these. */
export const source = (behaviors: readonly Behavior[]): fc.Arbitrary<RuleSource> =>
  fc.record({
    behavior: fc.constantFrom(...behaviors),
    origin: fc.constantFrom("cli" as const, "project" as const, "user" as const),
    text: fc.constantFrom(...RULES),
  });
