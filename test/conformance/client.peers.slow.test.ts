// The official conformance suite against Haft as a client, every scenario that the protocol requires, in both its eras.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { REVISIONS, type Revision, requiredOf, runScenario } from "./client-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-conformance-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Scenarios without a call: there is no tool, or the client has to see before it that it is being deceived. */
const WITHOUT_CALLS = new Set([
  "auth/resource-mismatch",
  "auth/iss-supported-missing",
  "auth/iss-wrong-issuer",
  "auth/iss-unexpected",
  "auth/iss-normalized",
  "auth/metadata-issuer-mismatch",
  "auth/scope-retry-limit",
  "initialize",
  "request-metadata",
]);

const revisions = Object.keys(REVISIONS) as Revision[];
const required = new Map(await Promise.all(revisions.map(async (one) => [one, await requiredOf(one)] as const)));

describe.each(revisions)("conformance as a client, %s", (revision) => {
  const scenarios = required.get(revision) ?? [];
  const out = join(folder, revision);
  let skipped = 0;

  it("Q01 the suite asks what it is known to ask", () => {
    expect(scenarios).toHaveLength(REVISIONS[revision]);
  });

  it.each(scenarios)("Q01 %s", { timeout: 90_000 }, async (name) => {
    const finding = await runScenario(name, revision, out);
    skipped += finding.skipped;
    expect(finding.faults).toEqual([]);
    expect(finding.passed).toBeGreaterThan(0);
    // A scenario that nobody takes part in may pass as well.
    expect(finding.said).toContain(`${name}: `);
    if (!WITHOUT_CALLS.has(name)) expect(finding.said).toMatch(/^mcp__suite__\S+: /m);
  });

  it("Q01 the skipped checks are counted", () => {
    process.stdout.write(`conformance client ${revision}: ${scenarios.length} scenarios, ${skipped} checks skipped\n`);
    expect(skipped).toBeLessThanOrEqual(MOST_SKIPPED);
  });
});

/** Checks that the suite itself leaves out, by both revisions. */
const MOST_SKIPPED = 20;

/** Extensions that nobody must speak, and that the suite never scores. */
const BEYOND = ["auth/client-credentials-basic", "auth/client-credentials-jwt"];

it.each(BEYOND)("Q01 beyond what is required: %s", { timeout: 90_000 }, async (name) => {
  const finding = await runScenario(name, undefined, join(folder, "beyond"));
  expect([finding.faults, finding.said]).toEqual([[], expect.stringMatching(/^mcp__suite__\S+: ok/m)]);
  expect(finding.passed).toBeGreaterThan(0);
});

it("Q01 a client that does nothing fails: the suite can tell", { timeout: 90_000 }, async () => {
  const { faults } = await runScenario("tools_call", "2025-11-25", join(folder, "nothing"), `${process.execPath} -e 0`);
  expect(faults.join()).toContain("tool-add-numbers");
});
