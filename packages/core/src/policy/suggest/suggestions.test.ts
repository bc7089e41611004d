import { expect, it } from "vitest";
import { call, connect, type Effect, read, run, state, unknown, write } from "../../tool/index.ts";
import { createPolicy } from "../policy.ts";

const workspace = { root: "/ws", startedIn: "/ws", cwd: "/ws/x", home: "/home/me", additional: [], platform: "linux" };
const suggest = (effects: Effect[], name = "Bash", server?: string) =>
  createPolicy({ workspace }).decide({
    tool: { name, origin: server === undefined ? "builtin" : "mcp", ...(server === undefined ? {} : { server }) },
    input: {},
    effects,
  }).suggestions;
const rulesOf = (...args: Parameters<typeof suggest>) => suggest(...args)[0]?.rules;
const sh = (text: string) => run({ argv: text.split(" "), text, cwd: "/ws", basis: "proved" });

it("F29 each effect has the narrowest rule that a person would write", () => {
  expect(rulesOf([sh("npm run build --x")])).toEqual(["Bash(npm run build *)"]);
  expect(rulesOf([write("/ws/src/a.ts")], "Edit")).toEqual(["Edit(/src/a.ts)"]);
  expect(rulesOf([write("/ws/README.md")], "Edit")).toEqual(["Edit(/README.md)"]);
  expect(rulesOf([read("/opt/lib/docs/a.md")], "Read")).toEqual(["Read(//opt/lib/docs/**)"]);
  expect(rulesOf([read("/home/me/notes.md")], "Read")).toEqual(["Read(//home/me/notes.md)"]);
  expect(rulesOf([connect("https://docs.example.com/x", { sends: false })], "WebFetch")).toEqual([
    "WebFetch(domain:docs.example.com)",
  ]);
  expect(rulesOf([state("memory")], "Memory")).toEqual(["Memory"]);
});

it("F29 a search of the machine, of a home or of a folder above the workspace is offered no rule, a folder its own", () => {
  const searched = (path: string) => rulesOf([{ ...read(path, { tree: true }), as: path, basis: "enforced" }], "Grep");
  expect(["/", "/home", "/home/me", "/opt"].map(searched)).toEqual([undefined, undefined, undefined, undefined]);
  expect(searched("/opt/lib")).toEqual(["Read(//opt/lib/**)"]);
});

it("F29 an edit offers the file before its folder, and each offer says what it lets through", () => {
  expect(suggest([write("/ws/src/a.ts")], "Edit")).toEqual([
    {
      label: "Allow changes to src/a.ts for this session: Edit(/src/a.ts)",
      covers: "changes to src/a.ts",
      rules: ["Edit(/src/a.ts)"],
      scope: "session",
    },
    {
      label: expect.stringContaining("Edit(/src/**)"),
      covers: "creating, changing and deleting files below src, no whole folders",
      rules: ["Edit(/src/**)"],
      scope: "session",
    },
  ]);
  const removal = suggest([sh("rm -rf build"), write("/ws/build", "delete", { tree: true })]).map(({ rules }) => rules);
  expect(removal).toEqual([]);
  expect(suggest([write("/ws/build", "delete", { tree: true })])).toMatchObject([
    { covers: "removing build and everything in it", rules: ["delete(/build/**)"] },
  ]);
  expect(suggest([sh("npm test")])[0]?.covers).toBe("`npm test` with any further arguments");
  expect(suggest([sh("make all")])[0]?.covers).toBe("exactly `make all`");
});

it("F29 special characters of a path are escaped", () => {
  expect(suggest([write("/ws/app/[id]/{a}*/x.ts")], "Edit").map(({ rules }) => rules)).toEqual([
    ["Edit(/app/\\[id\\]/\\{a\\}\\*/x.ts)"],
    ["Edit(/app/\\[id\\]/\\{a\\}\\*/**)"],
  ]);
});

it("F29 a compound gets all its rules or none, and never more than five", () => {
  expect(rulesOf([sh("npm test"), sh("make all"), sh("npm test")])).toEqual(["Bash(npm test *)", "Bash(make all)"]);
  expect(suggest([sh("npm test"), sh("bash x.sh")])).toEqual([]);
  expect(suggest([sh("npm test"), unknown("eval")])).toEqual([]);
  expect(suggest([{ ...sh("npm test"), wrappers: ["xargs"], text: "xargs -n1 npm test" }])).toEqual([]);
  expect(suggest(["a", "b", "c", "d", "e", "f"].map((target) => sh(`make ${target}`)))).toEqual([]);
});

it("F29 remote tools are offered by name and by server", () => {
  expect(suggest([call("github", "x")], "mcp__github__x", "github")).toMatchObject([
    { rules: ["mcp__github__x"], scope: "tool" },
    { rules: ["mcp__github"], scope: "server" },
  ]);
});

it("F29 a server whose name reads like a tool of another is offered no rule for itself", () => {
  expect(suggest([call("gh__one", "x")], "mcp__gh__one__x", "gh__one").map(({ scope }) => scope)).toEqual(["tool"]);
});

it("F29 leave to change files ends with the session, other leave may stay", () => {
  expect(suggest([write("/ws/src/a.ts")], "Edit").map(({ scope }) => scope)).toEqual(["session", "session"]);
  expect(suggest([sh("make all")]).map(({ scope }) => scope)).toEqual(["session", "project", "user"]);
  expect(suggest([read("/opt/lib/docs/a.md")], "Read").map(({ scope }) => scope)).toEqual(["session", "project"]);
});
