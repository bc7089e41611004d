import { describe, it } from "vitest";
import { holds, type Row } from "../support/explained.ts";

/** Files that are private by name: `.env`, keys. */
describe("F10 a private file is read by its own name only, and then a person is asked", () => {
  it.each<Row>([
    ["ask", "@Read .env"],
    ["ask", "@Read a/.env.local"],
    ["ask", "@Read .ssh/id_rsa"],
    ["allow", "@Read .env.example"],
    ["ask", "@Grep .env"],
    ["ask", "cat .env"],
    ["ask", "grep x .env"],
    ["ask", "head -1 a/.env"],
    ["ask", "cat < .env"],
    ["ask", "ls; cat .env"],
    ["ask", "cp .env x", [], { mode: "acceptEdits" }],
    ["ask", "diff .env .env.example"],
  ])("F10 %s: %s with %j %j", holds);
});

describe("F10 every mode, save the one that asks nothing", () => {
  it.each<Row>([
    ["ask", "@Read .env", [], { mode: "acceptEdits" }],
    ["ask", "@Read .env", [], { mode: "plan" }],
    ["deny", "@Read .env", [], { mode: "dontAsk" }],
    ["deny", "cat .env", [], { mode: "dontAsk" }],
    ["allow", "@Read .env", [], { mode: "bypassPermissions" }],
    ["allow", "cat .env", [], { mode: "bypassPermissions" }],
  ])("F10 %s: %s with %j %j", holds);
});

describe("F10 unless a rule allows reading it", () => {
  it.each<Row>([
    ["allow", "@Read .env", ["+Read(.env)"]],
    ["allow", "cat .env", ["+Read(.env)"]],
    ["allow", "@Read .env", ["+Read"]],
    ["allow", "cat .env", ["+Bash(cat *)"]],
    ["allow", "@Read .env", ["+Read(.env)"], { mode: "plan" }],
    ["allow", "@Read .env", ["+Read(.env)"], { mode: "dontAsk" }],
    ["ask", "@Read src/.env", ["+Edit(src/**)"]],
    ["deny", "@Read .env", ["+Read(.env)", "-Read(*.env)"]],
  ])("F10 %s: %s with %j %j", holds);
});

describe("F10 a tree that holds private files is read without them", () => {
  it.each<Row>([
    ["allow", "@Grep ."],
    ["allow", "@Glob ."],
    ["allow", "grep -r x ."],
  ])("F10 %s: %s with %j %j", holds);
});
