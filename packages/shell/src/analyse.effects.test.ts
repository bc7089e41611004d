import { describe, expect, it } from "vitest";
import { analyseShell } from "./index.ts";

const analyse = (script: string, env?: Record<string, string>) =>
  analyseShell(script, { cwd: "/w/p", home: "/home/u", ...(env === undefined ? {} : { env }) });

/** Effects in short: `read /a`, `read /a/**`, `modify /a`, `delete /a/** `, `connect host`, `unknown`, opaque runs as `run? name`. */
function brief(script: string): string[] {
  return analyse(script).effects.flatMap((effect) => {
    switch (effect.do) {
      case "read":
        return [`read ${effect.path}${effect.tree ? "/**" : ""}`];
      case "write":
        return [`${effect.change} ${effect.path}${effect.tree ? "/**" : ""}`];
      case "run":
        return effect.opaque ? [`run? ${effect.argv.join(" ")}`] : [];
      case "connect":
        return [`connect ${effect.host}:${effect.port}`];
      default:
        return [effect.do];
    }
  });
}

describe("the paths that a script reads and writes", () => {
  it.each([
    ["cat a b/c /etc/x ~/y", ["read /w/p/a", "read /w/p/b/c", "read /etc/x", "read /home/u/y"]],
    ["ls", ["read /w/p"]],
    ["ls -R src", ["read /w/p/src/**"]],
    ["grep x a b", ["read /w/p/a", "read /w/p/b"]],
    ["grep -rn x", ["read /w/p/**"]],
    ["grep -f pats a", ["read /w/p/pats", "read /w/p/a"]],
    ["rg x", ["read /w/p/**"]],
    ["find . ../q -name x", ["read /w/p/**", "read /w/q/**"]],
    ["cat src/*.ts", ["read /w/p/src/**"]],
    ["cat src/a*/b", ["read /w/p/src/**"]],
    ["cat src/*/../../x", ["run? cat src/*/../../x"]],
    ["cat .*", ["run? cat .*"]],
    ["head -5 a > b 2>> c", ["replace /w/p/b", "modify /w/p/c", "read /w/p/a"]],
    ["wc < a 2>/dev/null", ["read /w/p/a"]],
    ["cat <> a", ["read /w/p/a", "modify /w/p/a"]],
    ["exec 3<>/dev/tcp/Evil/80", ["connect evil:80"]],
    ["echo x > $X", ["unknown"]],
    ["[ -f a ] && [ -d /etc ]", ["read /w/p/a", "read /etc"]],
    ["sed -n 1p a", ["read /w/p/a"]],
    ["git -C sub log", ["read /w/p/sub/**"]],
    ["git diff -- /etc/passwd", ["read /w/p/**", "read /etc/passwd/**"]],
    // If there is no such file, they try endings.
    ["zcat a", ["read /w/p/a", "read /w/p/a.gz", "read /w/p/a.z", "read /w/p/a-z", "read /w/p/a.Z"]],
    ["zcat a.gz", ["read /w/p/a.gz"]],
    ["unzip -p a", ["read /w/p/a", "read /w/p/a.zip", "read /w/p/a.ZIP"]],
    ["unrar l a", ["read /w/p/a", "read /w/p/a.rar"]],
    // Without a repository it compares any two files.
    ["git diff link/x y", ["read /w/p/**", "read /w/p/link/x/**"]],
    ["git diff link/x", ["read /w/p/**"]],
    ["diff <(cat a) b", ["read /w/p/a", "read /w/p/b"]],
    ["echo $(cat a)", ["read /w/p/a"]],
    ["jq --slurpfile x a.json . b.json", ["read /w/p/a.json", "read /w/p/b.json"]],
    ["find src -name x -exec grep -l y {} +", ["read /w/p/src/**", "read /w/p/src/**"]],
  ])("G07 %s", (script, expected) => expect(brief(script)).toEqual(expected));

  it.each([
    ["mkdir -p a/b", ["create /w/p/a/b"]],
    ["touch a", ["modify /w/p/a"]],
    ["rm -f a b", ["delete /w/p/a", "delete /w/p/b"]],
    ["rm -rf a", ["delete /w/p/a/**"]],
    ["rmdir a", ["delete /w/p/a"]],
    ["mv a b", ["read /w/p/a/**", "delete /w/p/a/**", "create /w/p/b/**"]],
    [
      "mv a b c/",
      [
        ...["read /w/p/a/**", "delete /w/p/a/**", "create /w/p/c/a/**"],
        ...["read /w/p/b/**", "delete /w/p/b/**", "create /w/p/c/b/**"],
      ],
    ],
    ["cp a b/", ["read /w/p/a", "create /w/p/b/a"]],
    ["cp -r a -t b", ["read /w/p/a/**", "create /w/p/b/a/**"]],
    ["sed -i s/a/b/ x", ["read /w/p/x", "modify /w/p/x"]],
    ["sed -i.bak s/a/b/ x", ["read /w/p/x", "modify /w/p/x", "replace /w/p/x.bak"]],
    ["echo x | tee -a log", ["modify /w/p/log"]],
    ["echo x | tee a b", ["replace /w/p/a", "replace /w/p/b"]],
  ])("G03 %s: known changes, so that policy decides by path", (script, expected) => {
    expect(brief(script)).toEqual(expected);
    expect(analyse(script).opaque).toBe(false);
  });

  it.each([
    "rm *.log",
    'rm "$X"',
    "rm --no-preserve-root -rf /",
    "ln -s /etc x",
    "ln a b",
    "cp -l a b",
    "cp -s a b",
    "mv --backup a b",
    "sed -i 'w x' a",
    "chmod +x a",
    "rm {a,$X}",
    "mkdir -Z a",
    "rmdir -p a/b",
  ])("G03 %s is not known well enough", (script) => expect(analyse(script).opaque).toBe(true));

  it("G03 a moved or copied file may be a link, so nothing below it is known afterwards", () => {
    expect(analyse("mv a b; echo x > b/c").opaque).toBe(true);
    expect(analyse("cp -a a b; cat b/c").opaque).toBe(true);
    expect(analyse("cp a b/; cat c").opaque).toBe(false);
  });

  it("G07 a path with .. behind a folder that may be a link also says how it was named", () => {
    expect(analyse("cat sub/../x").effects).toContainEqual(
      expect.objectContaining({
        do: "read",
        basis: "proved",
        path: "/w/p/x",
        as: "/w/p/sub/../x",
      }),
    );
    expect(analyse("cd sub && cat ../x").effects).toContainEqual(
      expect.objectContaining({
        do: "read",
        basis: "proved",
        path: "/w/p/x",
        as: "/w/p/sub/../x",
      }),
    );
    expect(analyse("cat ../x").effects).toContainEqual(
      expect.objectContaining({ do: "read", basis: "proved", path: "/w/x" }),
    );
  });
});

describe("the way through a script", () => {
  it.each([
    ["cd src && cat a", ["read /w/p/src/a"]],
    ["cd src; cat a", ["read /w/p/src/a", "read /w/p/a"]],
    ["cd src || exit 1; cat a", ["read /w/p/src/a"]],
    ["cd src || exit 1 2; cat a", ["read /w/p/src/a", "read /w/p/a"]],
    ["(cd src && ls); cat a", ["read /w/p/src", "read /w/p/a"]],
    ["cd src | cat; cat a", ["read /w/p/a"]],
    ["cd; cat a", ["read /home/u/a", "read /w/p/a"]],
    ["cd $X && cat a", ["run? cat a"]],
    ["cd $X && cat /a", ["read /a"]],
    ["cd /a && cd b && ls", ["read /a/b"]],
    ["cd src && git status", ["read /w/p/src/**"]],
    ["if x; then cd a; else cd b; fi && ls", ["run? x", "read /w/p/a", "read /w/p/b"]],
    ["for d in a b; do cd $d; done; ls", ["run? ls"]],
    ["while true; do cd a; break; cd ..; done; pwd; cat /x", ["read /x"]],
    ['D=src; cat $D/a "$D"/b', ["read /w/p/src/a", "read /w/p/src/b"]],
    ["D=a; D=b; cat $D", ["read /w/p/b"]],
    ["D=a; x && D=b; cat $D", ["run? x", "read /w/p/b", "read /w/p/a"]],
    ['for f in a b; do cat "$f"; done', ["read /w/p/a", "read /w/p/b"]],
    ["i=1; ((i++)); cat f$i", ["read /w/p/**"]],
    ["i=1; for x in a b; do cat f$i; : $((i++)); done", ["read /w/p/**"]],
    ["x=/etc/x; f() { local x=a; }; f; cat $x", ["read /etc/x", "read /w/p/a"]],
    ['f() { cat "$1"; }; f a; f b', ["read /w/p/a", "read /w/p/b"]],
    ["f() { cd src; }; f && cat a", ["read /w/p/src/a"]],
    ["readonly x=a; x=b; cat $x", ["run? cat $x"]],
    ["break; rm a", ["delete /w/p/a"]],
    ["return; rm a", ["delete /w/p/a"]],
    ["exec 2>/dev/null; rm a", ["delete /w/p/a"]],
    ["false && rm a", ["delete /w/p/a"]],
    ["exit; rm a", []],
    [": ${X:=a}; X=b; cat $X", ["read /w/p/a", "read /w/p/b"]],
    ["read REPLY; REPLY=a; read; cat $REPLY", ["run? cat $REPLY"]],
    ["f() { f; }; f", ["unknown", "run? f"]],
    ['f() { cat "$2"; }; f *.x a b', ['run? cat "$2"', "read /w/p/**"]],
    ['set -- *.x a; cat "$2"', ['run? cat "$2"', "read /w/p/**"]],
  ])("G07 %s", (script, expected) => {
    const found = brief(script);
    expect(new Set(found)).toEqual(new Set(expected));
  });

  it("G07 tells where a script ends", () => {
    expect(analyse("cd src").endsIn).toBe("/w/p/src");
    expect(analyse("cd src && make && cd ..").endsIn).toBe("/w/p");
    expect(analyse("cd src; ls").endsIn).toBeUndefined();
    expect(analyse("ls").endsIn).toBe("/w/p");
    expect(analyse("cd src", { CDPATH: "/x" }).endsIn).toBeUndefined();
  });

  it("G07 knows the environment it is given, and nothing else", () => {
    expect(analyse('cat "$T/a"', { T: "/t" }).effects).toContainEqual(
      expect.objectContaining({ do: "read", basis: "proved", path: "/t/a" }),
    );
    expect(analyse('cat "$T/a"').opaque).toBe(true);
  });

  it("G02 git readers bring the environment that their proof rests on, a milder one beside commands that write", () => {
    expect(analyse("git log").env).toMatchObject({ GIT_OPTIONAL_LOCKS: "0", GIT_CONFIG_NOSYSTEM: "1", PAGER: "cat" });
    expect(analyse("git log; make").env).toMatchObject({ GIT_OPTIONAL_LOCKS: "0", GIT_CONFIG_KEY_0: "core.fsmonitor" });
    expect(analyse("git log; make").env).not.toHaveProperty("GIT_CONFIG_NOSYSTEM");
    expect(analyse("git -C sub log && git status").gitFolders).toEqual(["/w/p/sub", "/w/p"]);
    expect(analyse("rg x").env).toEqual({ RIPGREP_CONFIG_PATH: "" });
    expect(analyse("ls").env).toBeUndefined();
  });
});

describe("the commands of a script", () => {
  it("G01 argv after quote removal, wrappers and assignments apart", () => {
    const [command] = analyse("foo=1 timeout 5 env LC_ALL=C 'gr'ep \"a b\" c\\ d > out").commands;
    expect(command).toMatchObject({
      argv: ["grep", "a b", "c d"],
      wrappers: ["timeout", "env"],
      assigns: ["foo=1", "LC_ALL=C"],
      text: "foo=1 timeout 5 env LC_ALL=C 'gr'ep \"a b\" c\\ d",
      verdict: "reads",
    });
  });

  it.each([
    ["bash -c 'rm -rf x'", "rm -rf x", ["bash"]],
    ["sudo -u root rm x", "rm x", ["sudo"]],
    ["echo x | xargs -0 -n 1 rm -f", "rm -f", ["xargs"]],
    ["nohup nice -n 3 make all", "make all", ["nohup", "nice"]],
    ['sh -c "env sudo reboot"', "reboot", ["sh", "env", "sudo"]],
    ["flock -n l -c 'rm x'", "rm x", ["flock", "sh"]],
    ["command builtin eval x", "eval x", ["command", "builtin"]],
    ["find . -exec rm {} \\;", "rm {}", ["find"]],
  ])("G01 %s is seen through", (script, argv, wrappers) => {
    const command = analyse(script).commands.at(-1);
    expect([command?.argv.join(" "), command?.wrappers]).toEqual([argv, wrappers]);
    expect(analyse(script).opaque || command?.verdict === "writes").toBe(true);
  });
});
