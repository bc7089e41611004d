import { only, type Value } from "../../word/value.ts";

/** Without a file it compiles nothing: it prints its version, and where its programs and libraries are. */
const compiler =
  /^(-v|(-Q )?--help=\^?[a-z]+(,\^?[a-z]+)*|-dump(version|fullversion|machine|specs)|--?print(-[a-z]+)+(=[\w.+-]+)?)$/;
/** A script that is part of a library and prints build flags for it. */
const buildFlags = /^--?[a-z][a-z-]*( --?[a-z][a-z-]*)*$/;
const java =
  /^((-XshowSettings(:(all|locale|properties|vm|system))?|-XX:\+PrintFlags(Final|Initial)|-XX:\+Unlock(Diagnostic|Experimental)VMOptions) )*(-version|--version|-fullversion|--full-version|--list-modules|-X|--help-extra)$/;

/**
 * Words with which a program only reports on itself or the machine: all words together, separated by blanks. None of these forms obeys a
 * file of the current folder.
 */
const TELLS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    "gcc g++ cc c++ clang clang++": compiler,
    java,
    php: /^(-m|--modules|--ini|--r[cefiz] [\w\\]+)$/,
    perl: /^-V(:\w+)?$/,
    dotnet: /^--list-(sdks|runtimes)$/,
    // A further word names a file to which the help is written.
    cmake: /^--help-((command|manual|module|policy|property|variable) [\w<>()-]+|full|[a-z]+s|[a-z]+-list)$/,
    ld: /^(-[vV]|--verbose)$/,
    pandoc: /^--list-(input-formats|output-formats|extensions(=\w+)?|highlight-(languages|styles))$/,
    protoc: /^--decode_raw$/,
    "curl-config sdl2-config xml2-config xslt-config pg_config mysql_config icu-config freetype-config libpng-config":
      buildFlags,
    "gpg-error-config pcre2-config ncurses6-config ncursesw6-config python3-config python-config apr-1-config":
      buildFlags,
    "llvm-config": /^(--[a-z-]+)( --[a-z-]+| [a-z]+)*$/,
    numactl: /^(-[Hs]|--hardware|--show)$/,
    swapon: /^(-s|--summary|--show(=[A-Za-z,]+)?( --(bytes|raw|noheadings))*)$/,
    ldconfig: /^(-[pV]|--print-cache|--version)$/,
    "xcode-select": /^(-p|--print-path|-v|--version)$/,
    xcodebuild: /^(-version|-showsdks)$/,
    "zig kustomize": /^version$/,
    gitleaks: /^version$/,
    nice: /^$/,
    rg: /^--pcre2-version$/,
    node: /^--v8-options$/,
  }).flatMap(([names, shape]) => names.split(" ").map((name) => [name, shape] as const)),
);

/** Whether a program, with these words, only reports on itself or the machine. */
export function tellsOfItself(program: string, args: readonly Value[]): boolean {
  const words = args.map(only);
  const shape = TELLS.get(program);
  return shape !== undefined && words.every((word) => word !== undefined && /^\S+$/.test(word))
    ? shape.test(words.join(" "))
    : false;
}
