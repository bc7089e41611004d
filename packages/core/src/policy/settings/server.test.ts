import { describe, expect, it } from "vitest";
import { mergeSettings, parseSettings, type SettingsOrigin } from "./index.ts";

const layer = (origin: SettingsOrigin, value: object) => parseSettings(value, { origin, file: `${origin}.json` });
const problemsOf = (server: object) =>
  layer("user", { server }).problems.map(({ path, message }) => `${path.join(".")}: ${message}`);

describe("settings of Haft as a server", () => {
  it("Q13 clients of several files add up, the stronger file wins for a name", () => {
    const { settings } = mergeSettings(
      [
        layer("user", { server: { tools: "all", clients: { ann: { mode: "plan" }, ben: { profile: "coding" } } } }),
        layer("local", { server: { clients: { ann: { deny: ["Bash"] } } } }),
      ],
      { trusted: true },
    );
    expect(settings.server).toEqual({ tools: "all", clients: { ann: { deny: ["Bash"] }, ben: { profile: "coding" } } });
  });

  it("Q13 an entry that would close nothing is an error: a tool, a rule or a key that nobody knows", () => {
    expect(problemsOf({ clients: { ann: { rules: { deny: ["write(secrets/**)"] }, deny: ["Bash"] } } })).toEqual([]);
    expect(problemsOf({ clients: { ann: { rules: { deny: ["write"] } } } }).join()).toContain(
      "server.clients.ann.rules.deny",
    );
    expect(problemsOf({ clients: { ann: { rules: { allow: ["Bash"] } } } }).join()).toContain("allow");
    expect(problemsOf({ clients: { ann: { denny: ["Bash"] } } }).join()).toContain("denny");
    expect(problemsOf({ tools: "everything" }).join()).toContain("server.tools");
  });

  it("V10 a folder that is not trusted says nothing about the server", () => {
    const { settings, problems } = mergeSettings([layer("project", { server: { tools: "all" } })], { trusted: false });
    expect(settings.server).toBeUndefined();
    expect(problems.map(({ path }) => path.join("."))).toEqual(["server"]);
  });
});
