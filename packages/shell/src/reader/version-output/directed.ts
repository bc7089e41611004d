import { only, type Value } from "../../word/value.ts";

/** A program that a project directs. Files in the folder or above it may make it run or fetch another version of itself, or load
 * something. */
interface Directed {
  /** The words with which it only prints its version. */
  readonly words?: RegExp;
  /** Files that must not exist in the folder or above it. */
  readonly without: readonly string[];
  /** Files that may exist there unless they contain one of these words. */
  readonly unlessWith?: Readonly<Record<string, readonly string[]>>;
  /** With this option it reads none of these files. */
  readonly insteadOf?: string;
}

const VERSION = /^(-V|--version)$/;
const SHORT = /^(-v|--version)$/;
/** An escape can spell a word in another way. */
const MANAGER = { "package.json": ["packageManager", "\\u"] };
const rust: Directed = {
  words: /^(-V|--version|-vV|-Vv|--version --verbose|--version -v)$/,
  without: ["rust-toolchain", "rust-toolchain.toml"],
};

/** Programs that rustup starts in the wanted version. */
export const startsByRustup = (program: string): boolean => /^(cargo|rustc|rustfmt|rustdoc)$/.test(program);

/** By their names. */
export const DIRECTED: ReadonlyMap<string, Directed> = new Map(
  Object.entries({
    cargo: rust,
    "ast-grep": { without: ["sgconfig.yml", "sgconfig.yaml"] },
    // Many of its prints write a file if a `=` gives one.
    rustc: {
      ...rust,
      words:
        /^(-V|--version|-vV|-Vv|--version (--verbose|-v)|--explain E\d{4}|--print[ =](sysroot|target-list|target-libdir|target-cpus|target-features|host-tuple|cfg))$/,
    },
    rustfmt: rust,
    rustdoc: rust,
    mvn: { words: /^(-v|-version|--version)$/, without: [".mvn"] },
    dotnet: { words: /^--version$/, without: ["global.json"] },
    yarn: { words: SHORT, without: [".yarnrc", ".yarnrc.yml", ".corepack.env"], unlessWith: MANAGER },
    pnpm: {
      words: SHORT,
      // It finds its manifest in the last two as well.
      without: [
        ".npmrc",
        "pnpm-workspace.yaml",
        ".pnpmfile.cjs",
        ".pnpmfile.mjs",
        ".corepack.env",
        "package.json5",
        "package.yaml",
      ],
      unlessWith: MANAGER,
    },
    bundle: { words: SHORT, without: ["Gemfile", "Gemfile.lock", "gems.rb", "gems.locked", ".bundle"] },
    // It reads this before its arguments, and loads the linters that it names.
    "golangci-lint": {
      words: /^--version$/,
      without: [],
      unlessWith: Object.fromEntries(
        ["yml", "yaml", "toml", "json"].map((ending) => [`.golangci.${ending}`, ["custom", "plugins", "\\"]]),
      ),
    },
    // It names another file, anywhere, and errors show lines of that file.
    yamllint: { without: [".yamllint", ".yamllint.yaml", ".yamllint.yml"], insteadOf: "-d" },
    terraform: { words: /^(version|-version|--version|-v)$/, without: [".terraform-version"] },
    poetry: {
      words: VERSION,
      without: [".poetry"],
      unlessWith: { "pyproject.toml": ["requires-plugins", "\\u", "\\U"] },
    },
  } satisfies Record<string, Directed>),
);

/** Whether a program, with these words, prints its version: its own, or that of the version that a project chose. */
export function tellsItsVersion(program: string, args: readonly Value[]): boolean {
  const words = args.map(only);
  return words.every((word) => word !== undefined) && (DIRECTED.get(program)?.words?.test(words.join(" ")) ?? false);
}

/** Whether these words have their usual effect only if no project file directs the program. */
export const obeysProject = (program: string, args: readonly Value[]): boolean => {
  const directed = DIRECTED.get(program);
  return directed !== undefined && !args.some((value) => only(value) === directed.insteadOf);
};
