import { describe, expect, it } from "vitest";
import { analyseShell, classifyCommand } from "./index.ts";

const SUBSTITUTION = "$(touch pwned)";
const EVALUATED = `'a[${SUBSTITUTION}]'`;

describe("text that bash evaluates although it does not look like code", () => {
  it.each([
    `x={a,${SUBSTITUTION}}`,
    `x=a{1..${SUBSTITUTION}}`,
    `x={a,${SUBSTITUTION}} ls`,
    `a[0]={a,${SUBSTITUTION}}`,
    `export y={a,${SUBSTITUTION}}`,
    `[[ -n {a,${SUBSTITUTION}} ]]`,
    `[[ a == {a,${SUBSTITUTION}} ]]`,
    `case {a,${SUBSTITUTION}} in *) ls;; esac`,
    `case a in {a,${SUBSTITUTION}}) ls;; esac`,
    `cat <<< {a,${SUBSTITUTION}}`,
    `mapfile v <<< {a,b{c,${SUBSTITUTION}}}`,
  ])("G07 %s: text in braces runs if the braces stay as they are", (command) => {
    expect(analyseShell(command, { cwd: "/w", home: "/h" }).commands.map(({ argv }) => argv[0])).toContain("touch");
  });

  it.each([
    ...["RANDOM", "SRANDOM", "SECONDS", "HISTCMD", "OPTIND", "LINENO"].flatMap((name) => [
      `${name}=${EVALUATED}`,
      `${name}=${EVALUATED}; ls`,
      `${name}+=${EVALUATED}`,
      `${name}=(${EVALUATED})`,
      `${name}=$(cat f)`,
      `${name}=${EVALUATED} ls`,
      `declare ${name}=${EVALUATED}`,
      `for ${name} in ${EVALUATED}; do ls; done`,
      `read ${name} < f`,
      `mapfile -t ${name} < f`,
      `: \${${name}:=${EVALUATED}}`,
      `bash -c '${name}=$1' _ ${EVALUATED}`,
      `f() { ${name}=$1; }; f ${EVALUATED}`,
    ]),
  ])("G07 %s is arithmetic", (command) => expect(classifyCommand(command)).toBe("ask"));

  it.each(["SECONDS=0", "RANDOM=42; echo $RANDOM", "SECONDS=0; ls; echo $SECONDS"])("G01 %s is a number", (command) =>
    expect(classifyCommand(command)).toBe("allow"),
  );

  it.each([
    ...["xargs --max-lines touch < list", "echo x | xargs --replace touch {}", "echo x | xargs --replace ./run.sh ls"],
    ...[
      "echo x | xargs --eof touch",
      "git stash -m list",
      "git stash -u -- list",
      "git stash --all -- show",
      "git stash -q -- show",
    ],
    ...[
      "ar t a.a --plugin ./x.so",
      "ar r a.a b",
      "ar x a.a",
      "lsof -i @evil.example",
      "lsof -iTCP@evil.example:80",
      "c++filt @x",
    ],
    ...[
      "LSOFDEVCACHE=out lsof",
      "GROFF_TMAC_PATH=x man ls",
      "LIBMOUNT_FSTAB=x findmnt",
      "GAWK_PERSIST_FILE=x gawk 1 f",
      "ANY=x ls",
    ],
    ...["env ANYTHING=x ls", "file -p f"],
  ])("G07 %s is asked about", (command) => expect(classifyCommand(command)).toBe("ask"));

  const LIST = `'(${SUBSTITUTION})'`;
  it.each([
    ...["declare -a", "declare -A", "declare -ga", "typeset -a", "readonly -a", "export -a"].flatMap((how) => [
      `${how} a=${LIST}`,
      `${how} a="([${SUBSTITUTION.replace("$", "\\$")}]=1)"`,
      `x=${LIST}; ${how} a=$x`,
      `x=${LIST}; ${how} a="$x"`,
      `${how} a="$(cat f)"`,
      `f() { ${how} a="$1"; }; f ${LIST}`,
      `for i in ${LIST}; do ${how} a=$i; done`,
    ]),
    ...["a=(1)", "a[0]=1", "a=()", "declare -a a", "declare -A a", "mapfile a < f", "mapfile -t a < f"].flatMap(
      (first) => [
        `${first}; declare a=${LIST}`,
        `${first}; declare a+=${LIST}`,
        `${first}; readonly a="$x"`,
        `for i in 1 2; do declare a=${LIST}; ${first}; done`,
      ],
    ),
    `mapfile < f; declare MAPFILE=${LIST}`,
    `read -a a < f; declare a=${LIST}`,
    `f() { local -a a; local a=${LIST}; }; f`,
    `a=(1); f() { local -I a=${LIST}; }; f`,
  ])("G07 %s: text in brackets is a list, and its content is run", (command) =>
    expect(classifyCommand(command)).toBe("ask"),
  );

  it.each([
    'f() { local x=$1; echo "$x"; }; f a',
    'declare -a a=(x y); echo "${a[@]}"',
    "declare -A m=([a]=1); echo ${#m[@]}",
    "declare -a a; a+=(x); echo ${#a[@]}",
    "declare y=$(cat f); ls",
    "declare x='(a)'; ls",
    "declare -a a=x; ls",
  ])("G01 %s reads no list from text", (command) => expect(classifyCommand(command)).toBe("allow"));

  it("G08 a script that runs no program is run all the same", () => {
    for (const script of ["f() { touch x; }", "x=1", "x=1\n# nothing"]) {
      const { effects } = analyseShell(script, { cwd: "/w", home: "/h" });
      expect(effects).toEqual([{ do: "run", basis: "proved", argv: [":"], text: script, cwd: "/w" }]);
    }
  });
});
