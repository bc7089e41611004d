import {
  basename,
  defineTool,
  type Effect,
  effects,
  type Files,
  isWithin,
  type Ports,
  parent,
  type ToolError,
  type WriteEffect,
} from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testMachine, verdict } from "../../test/support/machine.ts";
import { memoryPorts } from "../../test/support/memory.ts";
import type { Grant, Situation } from "../policy/index.ts";
import { createExecutor } from "./index.ts";

type Access = "read" | "write";
type Outcome = "done" | NonNullable<ToolError["code"]>;

/** A call's grant, its attempt through a port, and the outcome. */
interface Trial {
  readonly effects: readonly Effect[];
  readonly holes?: readonly { do: Access; path: string; contentOnly?: true }[];
  readonly act: (ports: Ports) => unknown;
  readonly disk?: Map<string, string>;
}

const FILES = ["/w/a", "/w/b", "/w/d/x", "/w/d/e/y", "/w/dx"];
const PATHS = [...FILES, "/w/d", "/w/d/e", "/w", "/w/new"];

/** Runs a tool that declares these effects and is allowed them all, less the holes. */
async function attempt({ effects: declared, holes = [], act, disk = diskOf() }: Trial): Promise<Outcome> {
  const tool = defineTool({
    name: "Try",
    description: "Tries something.",
    input: { type: "object", properties: {} } as const,
    can: ["read", "write", "run", "state", "unknown"],
    effects: () => declared,
    run: async (_, { ports }) => {
      await act(ports);
      return "done";
    },
  });
  const closed = holes.map(({ path, ...hole }) => ({
    ...hole,
    rule: { rule: `${hole.do}(${path})` } as Grant["holes"][number]["rule"],
    matches: (at: string) => isWithin(path, at),
  })) as Grant["holes"];
  const started: Ports["processes"] = { run: async () => ({ exitCode: 0 }) as never };
  const decide = (situation: Situation) =>
    verdict("allow", situation, { grant: { effects: situation.effects, holes: closed } });
  const { machine } = testMachine([tool], {
    ports: { ...memoryPorts(disk), processes: started },
    policy: () => ({ mode: "default", generation: 1, decide }),
    loopGuard: false,
  });
  const [outcome] = await createExecutor(machine).run([{ id: "c1", tool: "Try", input: {} }]);
  return outcome!.result.error?.code ?? "done";
}

const diskOf = () => new Map(FILES.map((path) => [path, `text of ${path}`]));
const window = { first: 1, limit: 9, maxLineChars: 99 };
const query = { pattern: "*", limit: 99, want: "lines" as const };

const READS: Record<string, (files: Files, path: string) => unknown> = {
  bytes: (files, path) => files.bytes(path),
  text: (files, path) => files.text(path),
  lines: (files, path) => files.lines(path, window),
  list: (files, path) => files.list(path),
  find: (files, root) => files.find({ ...query, root }),
  search: (files, root) => files.search({ ...query, root }),
};

const aPath = fc.constantFrom(...PATHS);
const aTree = fc.boolean();
const aFileEffect = fc.oneof(
  fc.record({ path: aPath, tree: aTree }).map(({ path, tree }) => effects.read(path, { tree })),
  fc
    .record({ path: aPath, tree: aTree, change: fc.constantFrom("create", "modify", "replace", "delete") })
    .map(({ path, tree, change }) => effects.write(path, change, { tree })),
);
const someEffects = fc.array(aFileEffect, { maxLength: 3 });
const aHole = fc.record({ do: fc.constantFrom("read", "write"), path: aPath });
const someHoles = fc.array(aHole, { maxLength: 2 });

/** A change as it is judged: by what is there now. */
const settled = ({ change, path }: WriteEffect) => {
  if (path === "/w/new") return change === "delete" ? change : "create";
  return change === "create" ? "replace" : change;
};
const isTree = ({ tree, path }: { tree?: boolean; path: string }) => tree === true && !FILES.includes(path);

/** The entries of a list that cover a path: the same path, and with `tree` everything below a folder. */
const covering = (all: readonly Effect[], path: string) =>
  all
    .filter((effect) => effect.do === "read" || effect.do === "write")
    .filter((effect) => effect.path === path || (isTree(effect) && isWithin(effect.path, path)));
const writing = (all: readonly Effect[], path: string) =>
  covering(all, path).filter((effect): effect is WriteEffect => effect.do === "write");

/** The law: what each access grants. A grant to change a file includes reading it; a grant to remove it does not. */
const GRANTED = {
  read: (all: readonly Effect[], path: string) =>
    covering(all, path).some((effect) => effect.do === "read" || effect.change !== "delete"),
  write: (all: readonly Effect[], path: string) => writing(all, path).length > 0,
  remove: (all: readonly Effect[], path: string) =>
    writing(all, path).some((effect) => isTree(effect) || ["create", "delete"].includes(settled(effect))),
};

const isClosed = (holes: Trial["holes"], access: Access, path: string) =>
  holes?.some((hole) => hole.do === access && isWithin(hole.path, path));

/** Every effect list with every hole: the access is carried out if and only if it is granted and in no hole. */
const lawOf = (access: keyof typeof GRANTED, act: (files: Files, path: string) => unknown) =>
  fc.assert(
    fc.asyncProperty(someEffects, someHoles, aPath, async (all, holes, path) => {
      const disk = diskOf();
      const outcome = await attempt({ effects: all, holes, act: ({ files }) => act(files, path), disk });
      const port = access === "read" ? "read" : "write";
      if (!GRANTED[port](all, path)) expect(outcome).toBe("undeclared_effect");
      else if (isClosed(holes, port, path)) expect(outcome).toBe("sandbox_denied");
      else if (!GRANTED[access](all, path)) expect(outcome).toBe("undeclared_effect");
      else expect(["undeclared_effect", "sandbox_denied"]).not.toContain(outcome);
      const isUntouched = [...diskOf()].every(([file, text]) => disk.get(file) === text) && disk.size === FILES.length;
      if (outcome !== "done" || access === "read") expect(isUntouched).toBe(true);
      else if (access === "write") expect(disk.get(path)).toBe("new");
      else expect(disk.has(path)).toBe(false);
    }),
    { numRuns: 400 },
  );

describe("the port operations that a grant allows", () => {
  it.each(Object.entries(READS))("%s reads what is granted to be read or changed, and no more", (_, act) =>
    lawOf("read", act),
  );

  it("writes and removes what is granted to be changed so, and no more", async () => {
    await lawOf("write", (files, path) => files.write(path, "new"));
    await lawOf("remove", (files, path) => files.remove(path));
  });

  it("lists, finds and searches nothing that a hole closes; a file whose text alone is private keeps its name", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FILES), fc.boolean(), async (path, isTextOnly) => {
        const holes: Trial["holes"] = [{ do: "read", path, ...(isTextOnly ? { contentOnly: true } : {}) }];
        const names = FILES.filter((file) => isTextOnly || file !== path);
        const look = async (see: (files: Files) => unknown) => {
          let seen: unknown;
          const act: Trial["act"] = async ({ files }) => {
            seen = await see(files);
          };
          expect(await attempt({ effects: [effects.read("/w", { tree: true })], holes, act })).toBe("done");
          return seen;
        };
        const inside = (folder: string) =>
          names.filter((file) => parent(file) === folder).map((file) => basename(file));
        for (const folder of ["/w", "/w/d", "/w/d/e"])
          expect(await look(async (files) => (await files.list(folder)).map((entry) => entry.path))).toEqual(
            inside(folder),
          );
        expect(await look(async (files) => (await files.find({ ...query, root: "/w" })).paths)).toEqual(names);
        expect(await look(async (files) => (await files.search({ ...query, root: "/w" })).files)).toEqual(
          FILES.filter((file) => file !== path).map((file) => ({ path: file, count: 1 })),
        );
      }),
    );
  });

  it.each([
    ["nothing", [], "undeclared_effect"],
    ["a change of every file", [effects.write("/", "modify", { tree: true })], "undeclared_effect"],
    ["a program", [effects.run({ argv: ["ls"], text: "ls", cwd: "/w" })], "done"],
    ["anything", [effects.unknown("nobody can tell")], "done"],
  ] as const)("starts programs for who was granted a program: %s", async (_, all, outcome) => {
    const act: Trial["act"] = ({ processes }) => processes.run({ command: "ls", cwd: "/w" });
    expect(await attempt({ effects: all, act })).toBe(outcome);
  });

  it.each([
    [[], "undeclared_effect", "undeclared_effect"],
    [[effects.state("other")], "undeclared_effect", "undeclared_effect"],
    [[effects.state("todos", { change: false })], "done", "undeclared_effect"],
    [[effects.state("todos")], "done", "done"],
    [[effects.unknown("nobody can tell")], "undeclared_effect", "undeclared_effect"],
  ] as const)("opens the state that was granted: %j", async (all, got, set) => {
    expect(await attempt({ effects: all, act: ({ state }) => state.get("todos") })).toBe(got);
    expect(await attempt({ effects: all, act: ({ state }) => state.set("todos", 1) })).toBe(set);
  });
});

describe("a tool's static bound on its effects", () => {
  const WORDS = ["read", "write", "run", "connect", "state", "unknown"] as const;
  const ONE: Record<(typeof WORDS)[number], Effect> = {
    read: effects.read("/w/a"),
    write: effects.write("/w/a"),
    run: effects.run({ argv: ["ls"], text: "ls", cwd: "/w" }),
    connect: effects.connect("example.org"),
    state: effects.state("todos"),
    unknown: effects.unknown("nobody can tell"),
  };

  it("A46 holds for every call: one that declares more is judged as if nobody knew what it does", async () => {
    const words = fc.subarray([...WORDS]);
    await fc.assert(
      fc.asyncProperty(words, words, async (can, declared) => {
        let judged: readonly Effect[] = [];
        const tool = defineTool({
          name: "Try",
          description: "Tries something.",
          input: { type: "object", properties: {} } as const,
          can,
          effects: () => declared.map((word) => ONE[word]),
          run: async () => "done",
        });
        const decide = (situation: Situation) => {
          judged = situation.effects;
          return verdict("allow", situation);
        };
        const { machine } = testMachine([tool], { policy: () => ({ mode: "default", generation: 1, decide }) });
        await createExecutor(machine).run([{ id: "c1", tool: "Try", input: {} }]);
        const isBeyond = !can.includes("unknown") && declared.some((word) => word !== "unknown" && !can.includes(word));
        const isUnknown = judged.some((effect) => effect.do === "unknown");
        expect(isUnknown).toBe(isBeyond || declared.includes("unknown"));
      }),
    );
  });
});
