import { describe, expect, it } from "vitest";
import { compileHost } from "./host-pattern.ts";

const matches = (pattern: string, host: string, port?: number): boolean => {
  const compiled = compileHost(pattern);
  if ("problem" in compiled) throw new Error(compiled.problem);
  return compiled.matches(host, port);
};

describe("host patterns", () => {
  it.each([
    ["example.com", "example.com", true],
    ["Example.COM.", "example.com", true],
    ["example.com", "EXAMPLE.com.", true],
    ["example.com", "www.example.com", false],
    ["example.com", "notexample.com", false],
    ["*.example.com", "a.b.example.com", true],
    ["*.example.com", "example.com", false],
    ["*.example.com", "evilexample.com", false],
    ["*", "anything.at.all", true],
    ["example.*", "example.org", true],
    ["example.*", "example.evil.com", false],
    ["api-*.example.com", "api-1.example.com", true],
    ["api-*.example.com", "api-1.evil.example.com", false],
    ["*.cdn-*.net", "a.b.cdn-1.net", true],
    ["bücher.example", "xn--bcher-kva.example", true],
    ["127.0.0.1", "127.0.0.1", true],
    ["::1", "[::1]", true],
  ])("%s means %s: %s", (pattern, host, expected) => {
    expect(matches(pattern, host)).toBe(expected);
  });

  it("a port in the rule limits the port", () => {
    expect(matches("localhost:3000", "localhost", 3000)).toBe(true);
    expect(matches("localhost:3000", "localhost", 3001)).toBe(false);
    expect(matches("localhost:3000", "localhost")).toBe(false);
    expect(matches("localhost", "localhost", 3000)).toBe(true);
    expect(matches("[::1]:80", "::1", 80)).toBe(true);
  });

  it.each(["https://example.com", "example.com/path", "user@example.com", "a b", ""])("%j is no host", (text) => {
    expect(compileHost(text)).toHaveProperty("problem");
  });
});
