import { describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { classifyCommand } from "./index.ts";

describe("nothing hides", () => {
  it("G07 hides in no compound, substitution, here-document, function or wrapper", () => {
    const places = [
      (bad: string) => `ls && ${bad}`,
      (bad: string) => `ls || ${bad}`,
      (bad: string) => `ls; ${bad}`,
      (bad: string) => `ls\n${bad}`,
      (bad: string) => `ls & ${bad}`,
      (bad: string) => `ls | ${bad}`,
      (bad: string) => `ls |& ${bad}`,
      (bad: string) => `! ${bad}`,
      (bad: string) => `time -p ${bad}`,
      (bad: string) => `(${bad})`,
      (bad: string) => `{ ${bad}; }`,
      (bad: string) => `echo $(${bad})`,
      (bad: string) => `echo "$(${bad})"`,
      (bad: string) => `echo \`${bad}\``,
      (bad: string) => `echo "a \`${bad}\` b"`,
      (bad: string) => `cat <(${bad})`,
      (bad: string) => `echo x > >(${bad})`,
      (bad: string) => `cat <<END\n$(${bad})\nEND`,
      (bad: string) => `cat <<<"$(${bad})"`,
      (bad: string) => `echo \${x:-$(${bad})}`,
      (bad: string) => `echo \${x:=$(${bad})}`,
      (bad: string) => `echo "\${x/$(${bad})/b}"`,
      (bad: string) => `echo \${x%$(${bad})}`,
      (bad: string) => `echo \${x^$(${bad})}`,
      (bad: string) => `echo \${a[$(${bad})]}`,
      (bad: string) => `echo $((a[$(${bad})]))`,
      (bad: string) => `echo $(( $(${bad}) ))`,
      (bad: string) => `(( $(${bad}) ))`,
      (bad: string) => `[[ -n $(${bad}) ]]`,
      (bad: string) => `[[ a == $(${bad}) ]]`,
      (bad: string) => `[ -n "$(${bad})" ]`,
      (bad: string) => `if ${bad}; then :; fi`,
      (bad: string) => `if true; then ${bad}; fi`,
      (bad: string) => `if true; then :; elif ${bad}; then :; else :; fi`,
      (bad: string) => `if true; then :; else ${bad}; fi`,
      (bad: string) => `while ${bad}; do :; done`,
      (bad: string) => `until true; do ${bad}; done`,
      (bad: string) => `for i in a; do ${bad}; done`,
      (bad: string) => `for i in $(${bad}); do :; done`,
      (bad: string) => `for ((i=$(${bad});i<1;i++)); do :; done`,
      (bad: string) => `case $(${bad}) in a) ls;; esac`,
      (bad: string) => `case a in $(${bad})) ls;; esac`,
      (bad: string) => `case a in a) ${bad};; esac`,
      (bad: string) => `select x in a; do ${bad}; done`,
      (bad: string) => `coproc ${bad}`,
      (bad: string) => `f() { ${bad}; }; f`,
      (bad: string) => `ls() { ${bad}; }; ls`,
      (bad: string) => `cd() { ${bad}; }; cd y`,
      (bad: string) => `echo() { ${bad}; }; true | echo`,
      (bad: string) => `x=$(${bad})`,
      (bad: string) => `X=$(${bad}) ls`,
      (bad: string) => `a=($(${bad}))`,
      (bad: string) => `a[$(${bad})]=1`,
      (bad: string) => `export X=$(${bad})`,
      (bad: string) => `sh -c '${bad}'`,
      (bad: string) => `bash -lc '${bad}'`,
      (bad: string) => `env ${bad}`,
      (bad: string) => `env X=1 timeout 5 nice -n 3 ${bad}`,
      (bad: string) => `command ${bad}`,
      (bad: string) => `builtin ${bad}`,
      (bad: string) => `exec ${bad}`,
      (bad: string) => `nohup ${bad}`,
      (bad: string) => `stdbuf -oL ${bad}`,
      (bad: string) => `echo a | xargs ${bad}`,
      (bad: string) => `find . -exec ${bad} \\;`,
      (bad: string) => `flock f ${bad}`,
      (bad: string) => `busybox ${bad}`,
      (bad: string) => `sudo ${bad}`,
    ];
    const allowed = places.flatMap((place) =>
      ["rm x", "./run", "curl x"].map(place).filter((command) => classifyCommand(command) === "allow"),
    );
    expect(allowed).toEqual([]);
  });

  it("G07 a redirection that writes is never a mere read", () => {
    const targets = [">x", ">>x", ">|x", "&>x", "&>>x", ">&x", "2>x", "1<>x", "{fd}>x", '>"$X"', ">*.txt", ">~user/x"];
    for (const target of targets) {
      for (const command of [`ls ${target}`, `${target} ls`, target, `{ ls; } ${target}`, `exec ${target}`]) {
        expect([command, classifyCommand(command)]).toEqual([command, "ask"]);
      }
    }
  });
});

it("G06 variables that are doubled over and over are not followed, and cost nothing", () => {
  const doubled = (start: string, last: string) =>
    [`a0='${start}'`, ...Array.from({ length: 26 }, (_, at) => `a${at + 1}="$a${at}$a${at}"`), last].join("; ");
  const started = performance.now();
  for (const start of ["xxxxxxxxxx", "x y ", "$(date)", "-x"])
    for (const last of ["cat $a26", "cat src/$a26", "rm $a26", '$a26 "$a26"', 'case "$a26" in *) rm x;; esac'])
      expect(classifyCommand(doubled(start, last))).toBe("ask");
  expect(classifyCommand(doubled("x", "echo $a26"))).toBe("allow");
  expect(performance.now() - started).toBeLessThan(patience(2_000));
});

it("G06 positions that are doubled over and over end the analysis, not the process", () => {
  const started = performance.now();
  for (const args of ['"$@" "$@"', "$* $*", "$@ x $@"])
    for (const last of ['rm "$@"', "cat $*", 'for f in "$@"; do rm "$f"; done', "ls"])
      expect(classifyCommand(`set -- a b c d; ${`set -- ${args}; `.repeat(40)}${last}`)).toBe("ask");
  expect(classifyCommand(`a='${"x ".repeat(2_000)}'; rm ${"$a ".repeat(1_500)}`)).toBe("ask");
  expect(classifyCommand(`a='a b c'; set -- $a $a; ls ${"$a ".repeat(100)} "$@"`)).toBe("allow");
  expect(performance.now() - started).toBeLessThan(patience(2_000));
});
