import type { HostPorts } from "../host/index.ts";
import { type Check, check, expectFailure, expectSame } from "./check.ts";

/** The host to check, and an empty folder on it that the checks may change. */
export interface HostPlace {
  readonly host: HostPorts;
  /** An absolute real path. Each check works in a folder of its own below it. */
  readonly folder: string;
  /** Whether the host runs bash scripts. Default: yes. */
  readonly hasShell?: boolean;
}

/** The promises of a host: files, and programs if it has any. */
export function hostChecks(place: () => HostPlace | Promise<HostPlace>): readonly Check[] {
  let count = 0;
  const at = (name: string, run: (host: HostPorts, folder: string, hasShell: boolean) => Promise<void>): Check =>
    check(name, async () => {
      const { host, folder, hasShell = true } = await place();
      await run(host, `${folder}/check-${++count}`, hasShell);
    });
  const shell = (name: string, run: (host: HostPorts, folder: string) => Promise<void>): Check =>
    at(name, async (host, folder, hasShell) => {
      if (!hasShell) return;
      await host.files.write(`${folder}/here.txt`, "here\n");
      await run(host, folder);
    });
  return [...contentChecks(at), ...lookupChecks(at), ...programChecks(shell)];
}

type At = (name: string, run: (host: HostPorts, folder: string) => Promise<void>) => Check;

const contentChecks = (at: At): readonly Check[] => [
  at("files: a written text is read back, with its hash and folders", async ({ files }, folder) => {
    const { hash, folders } = await files.write(`${folder}/a/b.txt`, "one\ntwo\n");
    const read = await files.text(`${folder}/a/b.txt`);
    expectSame("text", [read.text, read.hash, read.eol, read.encoding], ["one\ntwo\n", hash, "\n", "utf-8"]);
    expectSame("new folders", folders, [folder, `${folder}/a`]);
  }),
  at("files: bytes are kept as they are", async ({ files }, folder) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await files.write(`${folder}/bytes`, bytes);
    expectSame("bytes", [...(await files.bytes(`${folder}/bytes`))], [...bytes]);
    expectSame("a range", [...(await files.bytes(`${folder}/bytes`, { start: 3, end: 5 }))], [3, 4]);
    await expectFailure("a text of it", () => files.text(`${folder}/bytes`), "binary_file");
  }),
  at("files: a write whose expectation fails changes nothing", async ({ files }, folder) => {
    const path = `${folder}/a.txt`;
    const { hash } = await files.write(path, "one", { expect: "absent" });
    await expectFailure("again", () => files.write(path, "two", { expect: "absent" }), "file_exists");
    await files.write(path, "two", { expect: hash });
    await expectFailure("an old hash", () => files.write(path, "three", { expect: hash }), "file_changed");
    expectSame("content", (await files.text(path)).text, "two");
  }),
  at("files: two writes with the same expectation never both succeed", async ({ files }, folder) => {
    const path = `${folder}/a.txt`;
    const { hash } = await files.write(path, "zero");
    const both = await Promise.allSettled(["one", "two"].map((text) => files.write(path, text, { expect: hash })));
    expectSame("winners", both.filter(({ status }) => status === "fulfilled").length, 1);
  }),
  at("files: a file is removed once, a missing one is an error", async ({ files }, folder) => {
    await files.write(`${folder}/a.txt`, "one");
    await files.remove(`${folder}/a.txt`);
    expectSame("stat", await files.stat(`${folder}/a.txt`), undefined);
    expectSame("kind", (await files.locate(`${folder}/a.txt`)).kind, "missing");
    await expectFailure("remove", () => files.remove(`${folder}/a.txt`), "file_not_found");
    await expectFailure("text", () => files.text(`${folder}/a.txt`), "file_not_found");
  }),
];

const lookupChecks = (at: At): readonly Check[] => [
  at("files: lists a folder, folders first", async ({ files }, folder) => {
    for (const name of ["b.txt", "a.txt", "sub/c.txt"]) await files.write(`${folder}/${name}`, "x");
    const entries = await files.list(folder);
    expectSame(
      "entries",
      entries.map(({ path, kind }) => [path, kind]),
      [
        ["sub", "directory"],
        ["a.txt", "file"],
        ["b.txt", "file"],
      ],
    );
    await expectFailure("a folder as text", () => files.text(folder), "is_directory");
  }),
  at("files: reads a window of lines", async ({ files }, folder) => {
    await files.write(`${folder}/a.txt`, "1\n2\n3\n4\n");
    const { lines, total, whole } = await files.lines(`${folder}/a.txt`, { first: 2, limit: 2, maxLineChars: 100 });
    expectSame("window", [lines, total ?? 4, whole], [["2", "3"], 4, false]);
  }),
  at("files: finds names and texts, and hides what is not visible", async ({ files }, folder) => {
    for (const name of ["a.ts", "sub/b.ts", "sub/c.md"]) await files.write(`${folder}/${name}`, "first\nneedle here\n");
    const isVisible = (path: string) => !path.endsWith("/b.ts");
    const found = await files.find({ root: folder, pattern: "**/*.ts", limit: 10 });
    expectSame("found", [...found.paths].sort(), [`${folder}/a.ts`, `${folder}/sub/b.ts`]);
    expectSame("visible", (await files.find({ root: folder, pattern: "**/*.ts", limit: 10, isVisible })).total, 1);
    const hits = await files.search({ root: folder, pattern: "need.e", want: "lines", limit: 10, isVisible });
    expectSame("hits", hits.matches.map(({ path, line }) => `${path}:${line}`).sort(), [
      `${folder}/a.ts:2`,
      `${folder}/sub/c.md:2`,
    ]);
  }),
  at("files: its functions stay usable when they are taken apart", async ({ files }, folder) => {
    const { write, text } = { ...files };
    await write(`${folder}/a.txt`, "one");
    expectSame("text", (await text(`${folder}/a.txt`)).text, "one");
  }),
];

const programChecks = (at: At): readonly Check[] => [
  at("programs: a script's exit code, output and folder", async ({ processes }, cwd) => {
    const run = await processes.run({ command: "cat here.txt; echo problem >&2; exit 3", cwd });
    expectSame(
      "outcome",
      [run.exitCode, run.stdout, run.stderr, run.timedOut, run.cancelled],
      [3, "here\n", "problem\n", false, false],
    );
  }),
  at("programs: sees files of the files port, and the other way round", async ({ files, processes }, cwd) => {
    await processes.run({ command: "tr a-z A-Z < here.txt > there.txt", cwd });
    expectSame("text", (await files.text(`${cwd}/there.txt`)).text, "HERE\n");
  }),
  at("programs: variables are added, and a quote stays one", async ({ processes }, cwd) => {
    const env = { GREETING: `it's "here" $HOME` };
    const run = await processes.run({ command: 'printf %s "$GREETING"', cwd, env });
    expectSame("output", run.stdout, env.GREETING);
  }),
  at("programs: a timeout ends the whole script", async ({ processes }, cwd) => {
    const run = await processes.run({ command: "sleep 60 & sleep 60", cwd, timeoutMs: 200 });
    expectSame("timed out", [run.timedOut, run.exitCode === 0], [true, false]);
  }),
  at("programs: a signal cancels a script", async ({ processes }, cwd) => {
    const over = new AbortController();
    const running = processes.run({
      ...{ command: "echo started; sleep 60", cwd, signal: over.signal },
      onOutput: () => over.abort(),
    });
    expectSame("cancelled", (await running).cancelled, true);
  }),
];
