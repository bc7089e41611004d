/** Runs the official conformance suite and counts what it says, check by check. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const suite = join(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
  "../dist/index.js",
);

type Status = "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";

export interface Check {
  readonly id: string;
  readonly status: Status;
  readonly errorMessage?: string;
}

/** Scenario → its checks. */
export type Findings = ReadonlyMap<string, readonly Check[]>;

/** Tests a server against everything that one revision of the protocol requires, one scenario after the other. */
export async function testServer(url: string, revision: string): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "haft-conformance-"));
  try {
    const args = ["server", "--url", url, "--requirements", revision, "--timeout", "60000", "-o", folder];
    const child = spawn(process.execPath, [suite, ...args], { stdio: "ignore" });
    await new Promise((resolve, reject) => child.once("close", resolve).once("error", reject));
    return new Map(
      readdirSync(folder).map((name) => {
        const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(name)?.[1] ?? name;
        return [scenario, JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as Check[]] as const;
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The scenarios that a revision requires of a server, as the suite lists them. */
export async function required(revision: string): Promise<string[]> {
  const child = spawn(process.execPath, [suite, "list", "--requirements", revision], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  for await (const chunk of child.stdout) text += chunk;
  const [, section = ""] = /Server scenarios[^\n]*\n([\s\S]*?)\n\n/.exec(text) ?? [];
  return [...section.matchAll(/^ {2}- (.+)$/gm)].map(([, name]) => name!);
}

/** Whether all checks of a scenario are in order, and there was one that says so of more than the wire. */
export const passes = (checks: readonly Check[] = []): boolean =>
  checks.filter(({ status }) => status === "SUCCESS").length > 0 &&
  checks.every(({ status }) => status !== "FAILURE" && status !== "WARNING");

export const count = (findings: Findings, status: Status): number =>
  [...findings.values()].flat().filter((check) => check.status === status).length;

/** The line that people read: scenarios, checks, and what was skipped. */
export function summary(title: string, findings: Findings, names: readonly string[]): string {
  const passed = names.filter((name) => passes(findings.get(name)));
  const skipped = [...findings].flatMap(([name, checks]) =>
    checks.filter(({ status }) => status === "SKIPPED").map(({ id }) => `${name}/${id}`),
  );
  const others = [...findings.keys()].filter((name) => !names.includes(name));
  const failing = others.filter((name) => !passes(findings.get(name)));
  return [
    `${title}: ${passed.length}/${names.length} required scenarios, ${count(findings, "SUCCESS")} checks passed, ` +
      `${count(findings, "FAILURE")} failed, ${skipped.length} skipped; of ${others.length} others ${failing.length} fail`,
    ...(skipped.length > 0 ? [`  skipped: ${skipped.join(", ")}`] : []),
    ...(failing.length > 0 ? [`  not required, failing: ${failing.join(", ")}`] : []),
  ].join("\n");
}
