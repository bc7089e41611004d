import { describe, expect, it } from "vitest";
import { describeServer, reachOf } from "./server.ts";

/** A variable as settings write it. */
const variable = (name: string) => `\${${name}}`;

const at = { cwd: "/work", env: { HOME: "/home/me", PATH: "/bin", TOKEN: "t", AWS_SECRET: "s", EMPTY: "" } };

describe("the transport of a server", () => {
  it("Q01 variables are filled in, with defaults, and a missing one is named", () => {
    const reach = reachOf(
      {
        name: "a",
        command: `${variable("HOME")}/bin/x`,
        args: [`${variable("TOKEN")}`, `${variable("NONE:-d")}`, `${variable("EMPTY:-e")}`],
        env: { K: `${variable("TOKEN")}!` },
      },
      at,
    );
    expect(reach).toMatchObject({ kind: "stdio", command: "/home/me/bin/x", args: ["t", "d", "e"], cwd: "/work" });
    expect(() => reachOf({ name: "a", command: "x", args: [`${variable("NONE")}`] }, at)).toThrow(
      "needs the environment variable NONE",
    );
    expect(() => reachOf({ name: "a" }, at)).toThrow("no command and no url");
    expect(() => reachOf({ name: "a", url: "file:///etc/passwd" }, at)).toThrow("an invalid address");
    expect(() => reachOf({ name: "a", url: "https://a.example/", sandbox: true }, at)).toThrow("only a program");
  });

  it("Q12 an address that carries a password is refused, in words without it", () => {
    const reach = () => reachOf({ name: "a", url: "https://me:s3cret@example.com/mcp" }, at);
    expect(reach).toThrow("a user name or password in its address");
    expect(reach).not.toThrow("s3cret");
  });

  it("Q01 a server's process gets no secrets that were not passed on by name", () => {
    const reach = reachOf({ name: "a", command: "x", env: { K: `${variable("TOKEN")}` } }, at);
    expect(reach).toMatchObject({ env: { HOME: "/home/me", PATH: "/bin", K: "t" } });
    expect(JSON.stringify(reach)).not.toContain("AWS_SECRET");
  });

  it("V10 a person is shown everything that will be started, with variables by name", () => {
    const shown = describeServer({
      name: "a",
      command: "npx",
      args: ["-y", "it's", "$(x)"],
      env: { KEY: `${variable("TOKEN")}` },
      cwd: "/w",
    });
    expect(shown).toBe(`npx -y 'it'\\''s' '$(x)'\nin /w\nwith KEY=${variable("TOKEN")}`);
    expect(describeServer({ name: "a", url: `https://x/${variable("TOKEN")}`, headers: { A: "b" } })).toBe(
      `https://x/${variable("TOKEN")}\nheader A: b`,
    );
  });
});
