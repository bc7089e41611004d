import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The revisions of the protocol that a client must speak, and the scenarios that each asks of it. */
export const REVISIONS = { "2025-11-25": 18, "2026-07-28": 32 } as const;

export type Revision = keyof typeof REVISIONS;

/** The findings of one scenario of the official suite. */
export interface Finding {
  readonly passed: number;
  readonly skipped: number;
  /** Failures and warnings, as the suite words them. */
  readonly faults: readonly string[];
  /** The output of the client under test. */
  readonly said: string;
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

const suite = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);
const driver = fileURLToPath(new URL("client-driver.ts", import.meta.url));

/** Haft as the client under test, as it is shipped. The suite splits the command at its spaces. */
const CLIENT = `${process.execPath} ${driver}`;

/** Milliseconds that the suite gives a client. */
const CLIENT_MS = 60_000;

/** The scenarios that a revision asks of clients. */
export async function requiredOf(revision: Revision): Promise<readonly string[]> {
  const { stdout } = await runSuite(["list", "--requirements", revision]);
  const required = stdout.slice(stdout.indexOf("Client scenarios"), stdout.indexOf("never scored"));
  return [...required.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name!);
}

/** Runs one scenario against a client. Extensions belong to no revision: `undefined`. */
export async function runScenario(
  name: string,
  revision: Revision | undefined,
  folder: string,
  client: string = CLIENT,
): Promise<Finding> {
  const of = revision === undefined ? [] : ["--spec-version", revision];
  const whole = [
    "client",
    "--command",
    client,
    "--scenario",
    name,
    ...of,
    "-o",
    folder,
    "--timeout",
    String(CLIENT_MS),
  ];
  // Every scenario starts the suite and the client anew: what Node has made of their sources once is kept beside.
  const { stdout, code } = await runSuite(whole, { NODE_COMPILE_CACHE: join(folder, "compiled") });
  const place = resultsOf(folder, name);
  const checks = place ? (JSON.parse(readFileSync(join(place, "checks.json"), "utf8")) as readonly Check[]) : [];
  const with_ = (...statuses: readonly Check["status"][]) => checks.filter(({ status }) => statuses.includes(status));
  const faults = with_("FAILURE", "WARNING").map(({ id, errorMessage }) => `${id}: ${errorMessage ?? "it failed"}`);
  return {
    passed: with_("SUCCESS").length,
    skipped: with_("SKIPPED").length,
    faults: code === 0 || faults.length > 0 ? faults : [stdout.slice(-500)],
    said: place ? readFileSync(join(place, "stdout.txt"), "utf8") : "",
  };
}

/** The folder in which the suite left the results of a scenario: its name and a time. */
function resultsOf(folder: string, name: string): string | undefined {
  const parts = name.split("/");
  const parent = join(folder, ...parts.slice(0, -1));
  const found = readdirSync(parent).find((entry) => entry.startsWith(`${parts.at(-1)}-2`));
  return found === undefined ? undefined : join(parent, found);
}

function runSuite(
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly stdout: string; readonly code: number }> {
  const options = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, ...more } };
  return new Promise((resolve) => {
    execFile(process.execPath, [suite, ...args], options, (error, stdout, stderr) => {
      resolve({ stdout: `${stdout}${stderr}`, code: error === null ? 0 : Number(error.code ?? 1) });
    });
  });
}
