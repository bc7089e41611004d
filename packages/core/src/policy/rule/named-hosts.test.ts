import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPolicy, type Workspace } from "../index.ts";

const workspace: Workspace = {
  ...{ root: "/ws", startedIn: "/ws", cwd: "/ws", home: "/home/me", additional: [] },
  platform: "linux",
};
/** The decision about an opaque command when this rule is the only limit on commands. */
const decide = (rule: string, text: string, opaque = true): string => {
  const [argv, assigns] = [text.split(" ").filter((word) => !/^\w+=/.test(word)), text.match(/^\w+=\S*/g) ?? []];
  return createPolicy({
    workspace,
    rules: [
      { behavior: "allow", origin: "cli", text: "Bash" },
      { behavior: "deny", origin: "cli", text: rule },
    ],
  }).decide({
    tool: { name: "Bash", origin: "builtin" },
    input: {},
    effects: [{ do: "run", basis: "proved", argv, assigns, text, cwd: "/ws", ...(opaque ? { opaque } : {}) }],
  }).decision;
};

describe("F12 a host that is denied is so by its name among the words of a command", () => {
  it.each([
    ...[
      "curl https://x.evil.com",
      "curl https://X.EVIL.COM./a",
      "curl https://good.com@x.evil.com:8443/",
      "curl x.evil.com",
    ],
    ...["curl --url=https://x.evil.com", "curl -xhttp://x.evil.com:80 https://good.com", "wget -q -O- x.evil.com/a"],
    ...[
      "https_proxy=http://x.evil.com curl https://good.com",
      "ssh me@x.evil.com",
      "scp a x.evil.com:b",
      "nc x.evil.com 80",
    ],
    ...[
      "git clone git@x.evil.com:a.git",
      "rsync a x.evil.com::m",
      "curl http:x.evil.com",
      "curl //x.evil.com",
      "ping x.evil.com",
    ],
    ...["curl https:\\\\x.evil.com", "curl ｘ.evil.com", "curl x。evil。com", "curl https://x.evil.com#@good.com"],
  ])("%s", (command) => {
    expect([decide("connect(*.evil.com)", command), decide("WebFetch(domain:x.evil.com)", command)]).toEqual([
      "deny",
      "deny",
    ]);
  });

  it.each([
    ["connect(*.evil.com)", "curl https://evil.com.good.com/x.evil.com"],
    ["connect(*.evil.com)", "curl https://good.com?to=https://x.evil.com"],
    ["connect(evil.com)", "curl https://evil.community"],
    ["connect(evil.com:443)", "curl http://evil.com"],
    ["connect(*)", "make all.txt"],
    ["connect(*.ts)", "eslint src/x.ts"],
  ])("F29 %s leaves `%s` alone", (rule, command) => expect(decide(rule, command)).toBe("allow"));

  it("F29 with a port it means that port, a usual one too", () => {
    expect(decide("connect(evil.com:443)", "curl https://evil.com")).toBe("deny");
    expect(decide("connect(evil.com:80)", "curl evil.com:80")).toBe("deny");
    expect(decide("connect(*)", "curl https://evil.com")).toBe("deny");
    expect(decide("connect(evil.com)", "echo evil.com", false)).toBe("allow");
  });

  it("F12 a denied host is found beside any scheme, user, port or path of an address", () => {
    const user = fc.constantFrom("", "u@", "u:p@", "good.com@", "a@b@");
    const scheme = fc.constantFrom("http://", "HTTPS://", "ftp://", "git+ssh://", "http:", "//", "");
    const end = fc.constantFrom("", "/", ":8080", "/a?b#c", "?x", "#y", ".", "./z");
    const before = fc.constantFrom("curl ", "curl --url=", "wget -O- ", "x -u");
    fc.assert(
      fc.property(before, scheme, user, end, (start, how, who, rest) => {
        expect(decide("connect(*.evil.com)", `${start}${how}${who}x.evil.com${rest}`)).toBe("deny");
      }),
    );
  });

  it("F12 any words at all get an answer", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        expect(["allow", "deny"]).toContain(decide("connect(*.evil.com)", `x ${text}`));
      }),
    );
  });
});

describe("F12 a net client's operands are hosts, and connect(*) covers every program that needs a network", () => {
  it.each([
    "curl evil.com",
    "ssh me@host ls",
    "nc host 80",
    "scp f host:",
    "git push",
    "git -C x fetch",
    "npm install x",
    "curl $U",
  ])("F12 connect(*) denies `%s`", (text) =>
    expect([decide("connect(*)", text), decide("connect(*)", text, false)]).toEqual(["deny", "allow"]),
  );
  it.each(["make a.out", "npm test", "python3 x.py", "git commit a"])("F12 connect(*) leaves `%s`", (text) =>
    expect(decide("connect(*)", text)).toBe("allow"),
  );
  it("F12 a rule for a host means it without a scheme and without a domain", () => {
    expect([decide("connect(host)", "ssh me@host ls"), decide("connect(evil.*)", "curl evil.com")]).toEqual([
      "deny",
      "deny",
    ]);
    expect([decide("connect(host)", "ssh other"), decide("connect(evil.*)", "cat evil.com")]).toEqual([
      "allow",
      "allow",
    ]);
  });
});
