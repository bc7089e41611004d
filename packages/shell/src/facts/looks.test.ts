import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@haft/host/process";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { analyseInPlace, classifyCommand } from "../index.ts";

let place: string;
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "haft-looks-")));
  // A rustup of this machine would answer for the tests.
  vi.stubEnv("PATH", "/usr/bin:/bin");
  vi.stubEnv("RUSTUP_HOME", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true, force: true });
});

const { files } = createHost({ cwd: "/" }).ports;
const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
    stdio: "pipe",
  }).toString();
const asks = async (command: string, cwd = place): Promise<boolean> => {
  const { opaque, effects } = await analyseInPlace(command, { cwd, home: "/home/u" }, files);
  return opaque || effects.some(({ do: word }) => word !== "run" && word !== "read");
};
const repository = (...tags: string[]): void => {
  git(place, "init", "-q");
  git(place, "commit", "-q", "--allow-empty", "-m", "one");
  for (const tag of tags) git(place, "update-ref", `refs/tags/${tag}`, "HEAD");
};

/** Words that somebody chose: names of branches and tags. */
const NAMED = [
  "git log --oneline $(git describe --tags --abbrev=0)..HEAD",
  'LAST=$(git describe --tags --abbrev=0); git log "$LAST"..HEAD',
  "git diff $(git rev-parse --abbrev-ref HEAD)",
  "git log $(git branch --show-current)",
  "for t in $(git tag); do git show -s $t; done",
  "for b in $(git branch --format='%(refname:short)'); do git log -1 $b; done",
  "git for-each-ref --format='%(refname:short)' refs/tags | while read t; do git show $t; done",
  "git tag | head -2 | xargs -n1 git show",
  "git log $(git symbolic-ref --short HEAD)",
];

describe("names that git prints", () => {
  it("G01 may be arguments where a look shows that none is an option", async () => {
    repository("v1", "release/2");
    git(place, "pack-refs", "--all");
    git(place, "tag", "v3");
    for (const command of NAMED) expect([command, await asks(command)]).toEqual([command, false]);
  });

  it("G03 ask where one looks like an option, loose, packed or as the branch that is checked out", async () => {
    repository("--output=loose");
    for (const command of NAMED) expect([command, await asks(command)]).toEqual([command, true]);
    git(place, "pack-refs", "--all");
    for (const command of NAMED) expect([command, await asks(command)]).toEqual([command, true]);
    git(place, "update-ref", "-d", "refs/tags/--output=loose");
    expect(await asks(NAMED[0]!)).toBe(false);
    git(place, "symbolic-ref", "HEAD", "refs/heads/--output=head");
    expect(await asks(NAMED[0]!)).toBe(true);
  });

  it("G03 would really write a file: a tag goes along when a repository is cloned", () => {
    repository("--output=written");
    git(place, "clone", "-q", ".", "clone");
    const clone = join(place, "clone");
    expect(git(clone, "describe", "--tags", "--abbrev=0").trim()).toBe("--output=written");
    git(clone, "log", git(clone, "describe", "--tags", "--abbrev=0").trim());
    expect(git(clone, "status", "--short")).toContain("written");
  });

  it("G03 ask where nobody looked, and where the repository lies elsewhere", async () => {
    for (const command of NAMED) expect([command, classifyCommand(command)]).toEqual([command, "ask"]);
    repository("v1");
    git(place, "worktree", "add", "-q", "--detach", "beside");
    expect(await asks(NAMED[0]!, join(place, "beside"))).toBe(true);
    expect(await asks(NAMED[0]!)).toBe(false);
    symlinkSync("/nowhere", join(place, ".git/refs/tags/v2"));
    expect(await asks(NAMED[0]!)).toBe(true);
  });
});

/** A program, and a file by which a project directs it. */
const DIRECTED = [
  ["ast-grep run -p 'a($$$)' -l ts src", "sgconfig.yml", "customLanguages: {x: {libraryPath: x.so}}\n"],
  ["ast-grep --pattern '$A.b' --lang py", "sgconfig.yml", "customLanguages: {x: {libraryPath: x.so}}\n"],
  ["cargo --version", "rust-toolchain.toml", '[toolchain]\npath = "./evil"\n'],
  ["rustc -V", "rust-toolchain", "nightly"],
  ["mvn --version 2>/dev/null | head -1", ".mvn/jvm.config", "-javaagent:evil.jar"],
  ["dotnet --version", "global.json", '{"sdk":{"paths":["./evil"]}}'],
  ["yarn --version", ".yarnrc.yml", "yarnPath: evil.cjs"],
  ["yarn -v", ".yarnrc", 'yarn-path "./evil.js"'],
  ["yarn --version", "package.json", '{"packageManager":"yarn@4.0.0"}'],
  ["pnpm -v", "package.json", '{"\\u0070ackageManager":"pnpm@9.0.0"}'],
  ["pnpm --version", "pnpm-workspace.yaml", "configDependencies: {}"],
  ["pnpm --version", "package.yaml", "packageManager: pnpm@9.0.0"],
  ["pnpm -v", "package.json5", "{packageManager: 'pnpm@9.0.0'}"],
  ["bundle --version", "Gemfile.lock", "BUNDLED WITH\n   9.9.9"],
  ["terraform version", ".terraform-version", "9.9.9"],
  ["golangci-lint --version", ".golangci.yml", "linters-settings: {custom: {x: {path: ./x.so}}}\n"],
  ["golangci-lint --version", ".golangci.toml", '[linters-settings."\\u0063ustom".x]\npath = "./x.so"\n'],
  ["yamllint a.yml", ".yamllint", "extends: /home/other/notes.txt\n"],
  ["yamllint -s -f parsable .", ".yamllint.yaml", "extends: ./.env\n"],
  ["poetry --version", "pyproject.toml", '[tool.poetry.requires-plugins]\nevil = "*"\n'],
] as const;

describe("programs that a project directs", () => {
  it("G01 may say their version where nothing lies there that does", async () => {
    writeFileSync(join(place, "package.json"), '{"name":"a"}\n');
    writeFileSync(join(place, "pyproject.toml"), "[tool.poetry]\n");
    for (const [command] of DIRECTED) expect([command, await asks(command)]).toEqual([command, false]);
    expect(await asks("cargo --version && rustc --version")).toBe(false);
  });

  it("G03 ask where a file in the folder or above it does", async () => {
    for (const [command, name, text] of DIRECTED) {
      const project = join(place, command.replaceAll(/\W/g, ""), name.replaceAll(/\W/g, ""));
      mkdirSync(join(project, "in", name, ".."), { recursive: true });
      mkdirSync(join(project, name, ".."), { recursive: true });
      writeFileSync(join(project, name), text);
      expect([name, await asks(command, project)]).toEqual([name, true]);
      expect([name, await asks(command, join(project, "in"))]).toEqual([name, true]);
      expect([name, await asks(`cd in && ${command}`, project)]).toEqual([name, true]);
    }
  });

  it("G03 ask without a look, with a file that the script may have put there, and for more than the version", async () => {
    for (const [command] of DIRECTED) expect([command, classifyCommand(command)]).toEqual([command, "ask"]);
    expect(await asks("echo x > rust-toolchain; cargo --version")).toBe(true);
    expect(await asks("cargo +nightly --version")).toBe(true);
    for (const more of ["-U", "-r b", "-i", "--config x", "--follow"])
      expect(await asks(`ast-grep run -p a ${more}`)).toBe(true);
    for (const command of [
      "ast-grep scan",
      "ast-grep run",
      "ast-grep scan -p a",
      "ast-grep -l ts a",
      "ast-grep src -p a",
    ])
      expect([command, await asks(command)]).toEqual([command, true]);
    expect(await asks("cargo --version build")).toBe(true);
    expect(await asks("cd $X && cargo --version")).toBe(true);
    expect(await asks("mvn -v package")).toBe(true);
  });
});

describe("programs that rustup starts", () => {
  const versions = ["cargo --version", "rustc -V", "rustfmt --version", "rustdoc -V"];
  const asksIn = async (command: string, home: string): Promise<boolean> =>
    (await analyseInPlace(command, { cwd: place, home }, files)).opaque;

  it("G03 ask where rustup would make its settings file", async () => {
    mkdirSync(join(place, ".cargo/bin"), { recursive: true });
    writeFileSync(join(place, ".cargo/bin/rustup"), "");
    for (const command of versions) expect([command, await asksIn(command, place)]).toEqual([command, true]);
    mkdirSync(join(place, ".rustup"));
    writeFileSync(join(place, ".rustup/settings.toml"), "");
    for (const command of versions) expect([command, await asksIn(command, place)]).toEqual([command, false]);
  });

  it("G03 ask where rustup is elsewhere on the PATH, unless RUSTUP_HOME has the settings", async () => {
    const home = join(place, "other");
    mkdirSync(join(place, "programs"));
    writeFileSync(join(place, "programs/rustup"), "");
    for (const command of versions) expect([command, await asksIn(command, home)]).toEqual([command, false]);
    vi.stubEnv("PATH", `/usr/bin:${join(place, "programs")}`);
    for (const command of versions) expect([command, await asksIn(command, home)]).toEqual([command, true]);
    mkdirSync(join(place, "rust"));
    writeFileSync(join(place, "rust/settings.toml"), "");
    vi.stubEnv("RUSTUP_HOME", join(place, "rust"));
    for (const command of versions) expect([command, await asksIn(command, home)]).toEqual([command, false]);
  });
});

it("G03 kubectl asks for any question about its contexts: it may ask the server first", () => {
  for (const command of ["kubectl config get-contexts", "kubectl config current-context", "kubectl config get-users"])
    expect([command, classifyCommand(command)]).toEqual([command, "ask"]);
  expect(classifyCommand("kubectl version --client")).toBe("allow");
});
